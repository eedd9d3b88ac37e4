"""The self-test of a machine: checks board, header, network and card, and says what to do. Facts
are read by the modules `*_facts`, judged by the modules `*_checks`, which are pure.
"""
