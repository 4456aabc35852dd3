package terminals

import (
	"strconv"
	"strings"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// read reads the command of a terminal/create request.
func read(m *dispatch.Message) (c Command, _ *refusal) {
	params := m.Params()
	name, ok := params.Text("command")
	if !ok || name == "" {
		return c, refuse(invalidParams, "command is missing: want a string")
	}
	c = Command{Session: m.Session, Name: name, Keep: defaultKeep}
	if c.Args, ok = list(params.Raw("args"), wire.Text); !ok {
		return c, refuse(invalidParams, "args: want a list of strings")
	}
	if c.Env, ok = list(params.Raw("env"), variable); !ok {
		return c, refuse(invalidParams, "env: want a list of objects with a name, without an equals sign, and a value")
	}
	if c.Dir, ok = params.Text("cwd"); !ok && !wire.IsAbsent(params.Raw("cwd")) {
		return c, refuse(invalidParams, "cwd: want a string")
	}
	if limit := params.Raw("outputByteLimit"); !wire.IsAbsent(limit) {
		n, err := strconv.ParseUint(string(limit), 10, 64)
		if err != nil {
			return c, refuse(invalidParams, "outputByteLimit: want a whole number that is not negative")
		}
		c.Keep = int(min(n, maxKeep))
	}
	if strings.Contains(strings.Join(append(append(c.Args, c.Env...), c.Name, c.Dir), ""), "\x00") {
		return c, refuse(invalidParams, "command, args, env and cwd must have no zero byte")
	}
	return c, nil
}

// list reads a list, which may be absent.
func list(raw []byte, read func([]byte) (string, bool)) (texts []string, ok bool) {
	if wire.IsAbsent(raw) {
		return nil, true
	}
	elements, ok := wire.Elements(raw)
	for _, e := range elements {
		text, isOne := read(e)
		texts, ok = append(texts, text), ok && isOne
	}
	return texts, ok
}

// variable reads a variable of the environment.
func variable(raw []byte) (assignment string, ok bool) {
	o, err := wire.Parse(raw)
	if err != nil {
		return "", false
	}
	name, isNamed := o.Text("name")
	value, hasValue := o.Text("value")
	return name + "=" + value, isNamed && hasValue && name != "" && !strings.Contains(name, "=")
}
