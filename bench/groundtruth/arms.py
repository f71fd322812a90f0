"""What is compared: taskgen's whole loop, parts of it, and a peer. Each arm is a way to spend the same time on leakybox with all
faults of a list on."""

CALM = ["--mutate", "0"]  # no hazards of templates, no mutators of any group
BLIND = ["--set", "loop.feedback=0"]  # nothing that runs have shown decides what runs next

# name: what it is, words for `taskgen fuzz`; None: not taskgen
ARMS = {
    "full": ("the whole loop", []),
    "generate": ("generation only: fresh tasks of the templates, nothing mutated, no feedback", CALM + BLIND),
    "mutate": ("mutation without feedback: the same mutators as often, on fresh tasks", BLIND),
    "peer": ("mcp-fuzzer from PyPI, scored by what it triggers", None),
    "none": ("negative control: the whole loop with all faults off", []),
}


def all_faults(number):
    """What stands behind `demo:` for all faults of list `number`."""
    return "all" if number == 1 else f"all-{number}"
