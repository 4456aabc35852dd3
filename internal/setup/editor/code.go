package editor

import (
	"cmp"
	"fmt"
	"strings"
)

// inCode returns the editors that are configured in code or on a command line.
func inCode() []Editor {
	return []Editor{
		{Name: "agent-shell", Title: "agent-shell (Emacs)", Snippet: agentShell},
		{Name: "codecompanion", Title: "CodeCompanion.nvim", Snippet: func(name string, command []string) string {
			return fmt.Sprintf("-- in require(\"codecompanion\").setup({ ... })\n"+
				"adapters = { acp = { %[1]s_acpshim = function()\n"+
				"  return require(\"codecompanion.adapters\").extend(%[2]s, {\n"+
				"    commands = { default = { %[3]s } } })\nend } }\n",
				luaName(name), literal(name), list(command, ", "))
		}},
		{Name: "avante", Title: "avante.nvim", Snippet: func(name string, command []string) string {
			return "-- in require(\"avante\").setup({ ... })\n" + providers(name, "avante", command)
		}},
		{Name: "agentic", Title: "agentic.nvim", Snippet: func(name string, command []string) string {
			return "-- in require(\"agentic\").setup({ ... })\n" + providers(name, "agentic", command)
		}},
		{Name: "toad", Title: "Toad", Snippet: func(_ string, command []string) string {
			return "toad acp " + quote(Line(command)) + "\n"
		}},
		{Name: "marimo", Title: "marimo", Snippet: func(_ string, command []string) string {
			return "# the port is that of the agent in marimo's settings\n" +
				"npx stdio-to-ws " + quote(Line(command)) + " --port 3017\n"
		}},
		{Name: "jupyter-ai", Title: "jupyter-ai", Snippet: func(_ string, command []string) string {
			return "#!/bin/sh\n# jupyter-ai starts agents by fixed names: an executable file with this text and the agent's\n" +
				"# name goes into a folder that is earlier in PATH than the agent\nexec " + Line(command) + " \"$@\"\n"
		}},
	}
}

// agentShell sets the variable of an agent. Some variables have the name of the agent's maker in
// them.
func agentShell(name string, command []string) string {
	variable := map[string]string{
		"claude": "anthropic-claude", "codex": "openai-codex", "gemini": "google-gemini", "copilot": "github", "vibe": "mistral",
	}[name]
	return fmt.Sprintf("(setq agent-shell-%s-acp-command '(%s))\n", cmp.Or(variable, name), list(command, " "))
}

// providers returns the table that avante.nvim and agentic.nvim read. Some of their versions send
// no name, so acpshim gets it as a flag and the shipped profiles apply.
func providers(name, client string, command []string) string {
	args := append([]string{"--client", client}, command[1:]...)
	return fmt.Sprintf("acp_providers = { [%s] = { command = %s, args = { %s } } }\n",
		literal(name), literal(command[0]), list(args, ", "))
}

// list writes strings as JSON, Lua and Emacs Lisp all read them. They must not have control
// characters.
func list(words []string, sep string) string {
	literals := make([]string, len(words))
	for i, word := range words {
		literals[i] = literal(word)
	}
	return strings.Join(literals, sep)
}

// luaName matches names that Lua accepts without quotes.
func luaName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
}
