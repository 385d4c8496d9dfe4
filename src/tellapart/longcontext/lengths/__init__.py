"""How the score falls as the conversation grows, and up to which length it holds."""
