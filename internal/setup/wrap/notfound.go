package wrap

import (
	"fmt"

	"acpshim/internal/setup/editor"
	"acpshim/internal/setup/registry"
)

// A NotFound is the error for an agent's program that is not in PATH.
type NotFound struct {
	Name, Editor, Entry string
	Registered          []string // how the registry starts it, or nil
}

func (n *NotFound) Error() string {
	text := fmt.Sprintf("agent %q: not found in PATH", n.Name)
	if n.Registered != nil {
		text += "; the registry starts it with: -- " + editor.Line(n.Registered)
	}
	return text
}

// packages are the npm packages of the two agents that the documents name, by their programs.
var packages = map[string]string{
	"claude-agent-acp": "@agentclientprotocol/claude-agent-acp",
	"codex-acp":        "@agentclientprotocol/codex-acp",
}

// Hint returns how to start the program, or "" if the error says it.
func (n *NotFound) Hint() string {
	switch name, isKnown := packages[n.Name]; {
	case n.Registered != nil:
		return ""
	case isKnown:
		return fmt.Sprintf("npx, which comes with Node.js, starts it without installing it: run %q",
			editor.Line([]string{"acpshim", "wrap", n.Editor, n.Entry, "--", "npx", "-y", name}))
	}
	return "install it, or write its absolute path; to let acpshim look up commands of agents, save " + registry.URL +
		" and set registry.file to its path"
}
