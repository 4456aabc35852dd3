package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// A distribution lists the ways to get an agent.
type distribution struct {
	NPX, UVX *pack
	Binary   map[string]target // by platform
}

// A pack is a package that npx or uvx fetches and runs.
type pack struct {
	Package, Cmd string
	Args         []string
	Env          map[string]string
}

// A target is a program to download.
type target struct {
	Archive, Cmd string
	Args         []string
}

// command returns the command that starts the agent, with npx if both runners can.
func (a Agent) command() (command []string, env map[string]string, err error) {
	var d distribution
	if err := json.Unmarshal(a.Distribution, &d); err != nil {
		return nil, nil, fmt.Errorf("its distribution cannot be read: %w", err)
	}
	switch {
	case d.NPX != nil:
		return d.NPX.run("--package", "npx", "-y")
	case d.UVX != nil:
		return d.UVX.run("--from", "uvx")
	case len(d.Binary) > 0:
		return nil, nil, download(d.Binary)
	}
	return nil, nil, errors.New("its distribution is not npx, uvx or binary")
}

// run returns the command with which a runner starts the package. The flag from precedes the
// package if its command has another name.
func (p *pack) run(from string, runner ...string) ([]string, map[string]string, error) {
	if p.Package == "" || p.Package[0] == '-' || strings.HasPrefix(p.Cmd, "-") {
		return nil, nil, fmt.Errorf("want a package and perhaps a cmd, not %q and %q", p.Package, p.Cmd)
	}
	if p.Cmd != "" {
		runner = append(runner, from, p.Package, p.Cmd)
	} else {
		runner = append(runner, p.Package)
	}
	command := append(runner, p.Args...)
	if strings.Contains(strings.Join(command, ""), "\x00") {
		return nil, nil, errors.New("its command has a NUL byte")
	}
	for name, value := range p.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
			return nil, nil, fmt.Errorf("its environment has %q, which cannot be set", name)
		}
	}
	return command, p.Env, nil
}

// download returns the error for an agent that acpshim would have to download.
func download(binary map[string]target) error {
	t, ok := binary[platform(runtime.GOOS, runtime.GOARCH)]
	if !ok {
		return fmt.Errorf("it is only a program to download, and it does not exist for %s", platform(runtime.GOOS, runtime.GOARCH))
	}
	program := t.Cmd[strings.LastIndexAny(t.Cmd, `/\`)+1:]
	return fmt.Errorf("it is only a program to download, and acpshim downloads nothing: install it (%s), then run %q",
		t.Archive, strings.Join(append([]string{"acpshim", "--", "/path/to/" + program}, t.Args...), " "))
}

// platform returns the name of a system and a processor in the registry.
func platform(system, processor string) string {
	switch processor {
	case "amd64":
		processor = "x86_64"
	case "arm64":
		processor = "aarch64"
	}
	return system + "-" + processor
}
