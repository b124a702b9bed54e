"""The models of routers, a package each; what they have in common is above."""
