"""What to update, searched for under a memory limit: `searched` does it, `update="search"` asks.

The method is that of Lin et al., "On-Device Training Under 256KB Memory", NeurIPS 2022, section 2.2
(sparse update): `gains` measures what each layer and ratio contributes, `evolution` searches for
the sum of them that is the largest and fits. `space` is what there is to choose from.
"""
