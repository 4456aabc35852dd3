package commands

import "strings"

// examples has lines with a command each, for the help of the commands.
const examples = `
acpshim wrap zed codex-acp -- codex-acp
acpshim unwrap zed codex-acp
acpshim connect wss://agents.example.org/acp
acpshim serve -- codex-acp
acpshim doctor --client "zed 1.5.4" -- codex-acp
acpshim config show --client CodeCompanion.nvim
acpshim config check ~/.config/acpshim/config.toml
acpshim config path --config mine.toml
acpshim config init mine.toml
acpshim rules test testdata/*.txtar
acpshim rules explain conversation.txtar
acpshim log show 'update:plan*'
acpshim log list
acpshim log summary last~1
acpshim log tail -f dir:agent
acpshim log watch 'update:plan*'
acpshim log grep --all "permission denied"
acpshim log stats 20261122T131754
acpshim log validate --format junit >acp.xml
acpshim log export --format txtar -o run.txt
acpshim log report -o run.html
acpshim log open
acpshim log replay --diff
acpshim log prune --keep 100MB --dry-run
acpshim demo --client plan
acpshim demo agent
acpshim plan PLAN.md
acpshim completion fish > ~/.config/fish/completions/acpshim.fish
acpshim help log show
acpshim version --json
`

// Example returns a line that uses the command of that path, or one below it, such as "acpshim
// log"; "" if there is none.
func Example(path string) string {
	for line := range strings.Lines(examples) {
		if line = strings.TrimSuffix(line, "\n"); line == path || strings.HasPrefix(line, path+" ") {
			return line
		}
	}
	return ""
}
