package repair

import (
	"fmt"
	"strings"

	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// ShellLines is an adapter that has a shell run the lines that an agent gives as a program.
//
//   - Settles: An agent asks for a terminal with a whole shell line as the command and no args;
//     the client looks for a program of that name.
//   - For: Kimi.
//   - Keys: repair.shell_lines
//   - Read: MoonshotAI/kimi-cli#1517, MoonshotAI/kimi-cli#2113
type ShellLines struct {
	repair
	shell []string // the command that runs a line, such as sh -c
}

// NewShellLines returns a ShellLines adapter for the operating system of the client, by its name in
// Go.
func NewShellLines(os string, isOn IsOn) *ShellLines {
	shell := []string{"sh", "-c"}
	if os == "windows" {
		shell = []string{"cmd", "/c"}
	}
	return &ShellLines{newRepair(isOn, dispatch.Want{From: dispatch.Agent, Methods: []string{"terminal/create"}}), shell}
}

// Handle implements dispatch.Adapter.
func (a *ShellLines) Handle(m *dispatch.Message) {
	params := m.Params()
	line, _ := params.Text("command")
	args, _ := wire.Elements(params.Raw("args"))
	if m.Method != "terminal/create" || len(args) > 0 || !strings.ContainsAny(strings.TrimSpace(line), " \t\n|&;<>") {
		return
	}
	m.Because("the command is a shell line, so a shell runs it (repair.shell_lines)")
	m.Edit(params.Set(
		wire.Setting{Name: "command", Value: wire.Quote(nil, a.shell[0])},
		wire.Setting{Name: "args", Value: fmt.Appendf(nil, "[%q,%s]", a.shell[1], params.Raw("command"))})...)
}
