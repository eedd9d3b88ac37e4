"""Power cuts: record what a machine writes to its disk, then judge every state a cut could leave."""
