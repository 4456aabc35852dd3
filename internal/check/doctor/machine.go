package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"acpshim/internal/record/store"
	"acpshim/internal/setup/config"
	"acpshim/internal/system/state"
)

// machine reports on the configuration, the folder for records, and the settings of editors.
func (x *examination) machine() {
	x.configuration()
	x.records()
	x.editors()
}

// mostProblems is the number of configuration problems that are listed.
const mostProblems = 5

func (x *examination) configuration() {
	var problems config.Problems
	errors.As(x.ConfigErr, &problems)
	if x.ConfigErr != nil && problems == nil {
		x.problem("config", x.ConfigErr.Error(), "acpshim starts no agent until you correct it")
	}
	for i, p := range append(problems, x.Config.Warnings()...) {
		if i == mostProblems {
			x.note("config", fmt.Sprintf("and %d more", len(problems)+len(x.Config.Warnings())-i), `run "acpshim config check" to list them`)
			break
		}
		x.configProblem(p)
	}
	if x.ConfigErr != nil || len(x.Config.Warnings()) > 0 {
		return
	}
	var files []string
	for _, file := range x.Files {
		files = append(files, short(file))
	}
	none := "the defaults; you have no file of your own"
	if _, err := config.UserFile(); err != nil {
		none = fmt.Sprintf("the defaults; there is no folder for a file of your own: %v", err)
	}
	x.ok("config", "no mistakes in "+cmp.Or(strings.Join(files, " and "), none))
}

func (x *examination) configProblem(p config.Problem) {
	at := p.File
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
	f := Finding{Level: Problem, Subject: "config", Text: at + ": " + p.Message, Do: p.Hint}
	if p.Warning {
		f.Level = Note
	}
	x.add(f)
}

func (x *examination) records() {
	dir, base, err := store.Folder(x.Config.Record.Folder)
	if err == nil {
		err = state.Try(base, dir)
	}
	if err != nil {
		x.problem("records", fmt.Sprintf("--record cannot write: %v", err), "set record.folder to a folder that you can write to")
		return
	}
	x.ok("records", "--record can write to "+short(dir))
}

// short returns a path with ~ for the user's home.
func short(path string) string {
	if home, err := os.UserHomeDir(); err == nil {
		if below, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
			return filepath.Join("~", below)
		}
	}
	return path
}

// installed reports which known and configured agents are on this machine.
func (x *examination) installed() {
	for _, name := range slices.Sorted(maps.Keys(x.Config.Agents)) {
		command := x.Config.Agents[name].Command
		if path, err := exec.LookPath(command[0]); err != nil {
			x.problem("agent", fmt.Sprintf("%s: %q is not in PATH", name, command[0]), "write an absolute path ("+x.Config.From("agents."+name+".command").String()+")")
		} else {
			x.ok("agent", fmt.Sprintf("%s: %s; \"acpshim doctor --start %s\" examines it", name, path, name))
		}
	}
	there := func(names ...string) (found []string) {
		for _, name := range names {
			if _, err := exec.LookPath(name); err == nil {
				found = append(found, name)
			}
		}
		return found
	}
	agents := there("codex-acp", "claude-agent-acp", "opencode", "gemini", "goose", "copilot", "cursor-agent", "qwen", "kimi", "kiro-cli", "auggie")
	if agents != nil {
		x.ok("agents", fmt.Sprintf("in PATH: %s; \"acpshim doctor -- %s\" examines one", strings.Join(agents, ", "), agents[0]))
	}
	switch launchers := there("npx", "uvx"); {
	case launchers != nil:
		x.ok("agents", "you can run others with "+strings.Join(launchers, " and "))
	case agents == nil && len(x.Config.Agents) == 0:
		x.note("agents", "no known agent is in PATH, and neither npx nor uvx to run one", `install one, or try "acpshim demo"`)
	}
}
