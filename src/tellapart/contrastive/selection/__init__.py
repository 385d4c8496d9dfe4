"""Distractors: who may stand beside a target, who ranks the candidates, and who is taken."""
