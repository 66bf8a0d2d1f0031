from sim.fields import Problems
def check(document, merged):
    return Problems(document)
