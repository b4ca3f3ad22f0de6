"""The games. Each package registers itself with ``cardgames_env.core.game`` when imported."""
