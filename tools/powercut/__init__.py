"""Power cuts: record what a machine writes to its disk, judge every state a cut could leave."""
