package repair

import (
	"fmt"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// ShellLines is an adapter that runs a command with spaces or shell operators in a shell.
//
//   - Settles: A command fails because there is no program of that name: the agent sends a whole
//     shell line as the command, without args.
//   - For: Kimi.
//   - Keys: repair.shell_lines
//   - Read: MoonshotAI/kimi-cli#1517, MoonshotAI/kimi-cli#2113
type ShellLines struct {
	repair
	shell []string // such as sh -c
}

// NewShellLines returns a ShellLines adapter. OS is the client's operating system as Go names it.
func NewShellLines(os string, isOn IsOn) *ShellLines {
	shell := []string{"sh", "-c"}
	if os == "windows" {
		shell = []string{"cmd", "/c"}
	}
	return &ShellLines{newRepair(isOn, dispatch.Want{From: dispatch.Agent, Methods: []string{acp.TerminalCreate}}), shell}
}

// Handle implements dispatch.Adapter.
func (a *ShellLines) Handle(m *dispatch.Message) {
	params := m.Params()
	line, _ := params.Text("command")
	args, _ := wire.Elements(params.Raw("args"))
	if m.Method != acp.TerminalCreate || len(args) > 0 || !strings.ContainsAny(strings.TrimSpace(line), " \t\n|&;<>") {
		return
	}
	m.Because(whyShell)
	m.Edit(params.Set(
		wire.Setting{Name: "command", Value: wire.Quote(nil, a.shell[0])},
		wire.Setting{Name: "args", Value: fmt.Appendf(nil, "[%q,%s]", a.shell[1], params.Raw("command"))})...)
}
