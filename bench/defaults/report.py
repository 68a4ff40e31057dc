def write(*a): return ""
