package versions

import (
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// This file translates lists. If an object can have the members of both versions, it gets both,
// because readers of either version ignore the others.

// optionsTo1 translates configuration options to version 1, which has two types of them. Agents
// must not send it options of type boolean unless the client announces support for them.
func (a *Agent) optionsTo1(options []byte) []byte {
	return mapElements(options, func(option []byte) []byte {
		switch kind, _ := open(option).Text("type"); {
		case kind == "select", kind == "boolean" && a.announces("session", "configOptions", "boolean"):
			return withAlias(groups(option, "groupId", "group"), "configId", "id")
		}
		return nil
	})
}

// optionsTo2 translates configuration options to version 2. It omits options and groups without
// values, which version 2 does not have.
func optionsTo2(options []byte) []byte {
	return mapElements(options, func(option []byte) []byte {
		option = withAlias(groups(option, "group", "groupId"), "id", "configId")
		return with(field{"options", some(with(field{"options", some(asIs), true})), true})(option)
	})
}

func asIs(raw []byte) []byte { return raw }

// initialOptionsTo2 translates the values in a request that opens a session to version 2.
func initialOptionsTo2(options []byte) []byte {
	return mapElements(options, func(option []byte) []byte { return withType(option, "id") })
}

// initialOptionsTo1 translates the values in a request that opens a session to version 1. It omits
// those of a type that version 1 does not have: agents ignore what they do not offer.
func initialOptionsTo1(options []byte) []byte {
	return mapElements(options, func(option []byte) []byte {
		switch kind, _ := open(option).Text("type"); kind {
		case "id":
			return wire.Without(option, "type")
		case "boolean":
			return option
		}
		return nil
	})
}

// groups adds the other name of the id to each group of an option's values.
func groups(option []byte, name, other string) []byte {
	o := open(option)
	values := o.Raw("options")
	if with := wire.MapElements(values, func(group []byte) []byte { return withAlias(group, name, other) }); with != nil {
		return wire.Splice(nil, option, o.Set(wire.Setting{Name: "options", Value: with})...)
	}
	return option
}

// commandsTo1 translates commands to version 1, which has one type of them. Skills become commands.
func commandsTo1(commands []byte) []byte {
	return mapElements(commands, func(command []byte) []byte {
		switch kind, ok := open(command).Text("type"); {
		case kind == "skill":
			return wire.With(wire.Without(command, "path"), []string{"type"}, []byte(`"command"`))
		case ok && kind != "command":
			return nil
		}
		return with(field{name: "input", form: inputTo1})(command)
	})
}

// inputTo1 omits input of a type that version 1 does not have.
func inputTo1(input []byte) []byte {
	if wire.IsString(open(input).Raw("hint")) {
		return input
	}
	return nil
}

func commandsTo2(commands []byte) []byte {
	return mapElements(commands, func(command []byte) []byte {
		if o := open(command); o.Get("input") != nil && wire.IsAbsent(o.Raw("input")) {
			command = wire.Without(command, "input")
		} else if input := o.Raw("input"); wire.IsObject(input) {
			command = wire.With(command, []string{"input"}, withType(input, "text"))
		}
		return withType(command, "command")
	})
}

// withType adds a type to an object that has none.
func withType(raw []byte, kind string) []byte {
	if o := open(raw); o != nil && o.Get("type") == nil {
		return wire.Splice(nil, raw, o.Set(wire.Setting{Name: "type", Value: wire.Quote(nil, kind)})...)
	}
	return raw
}

// serversTo2 translates MCP servers to version 2, where those on stdio have a type, too.
func serversTo2(servers []byte) []byte {
	return mapElements(servers, func(server []byte) []byte { return withType(server, "stdio") })
}

// serversTo1 translates MCP servers to version 1. It adds members that are optional in version 2.
func serversTo1(servers []byte) []byte {
	return mapElements(servers, func(server []byte) []byte {
		o := open(server)
		if o == nil {
			return server
		}
		wanted := []string{"headers"}
		if kind, _ := o.Text("type"); kind == "stdio" {
			wanted = []string{"args", "env"}
		}
		for _, name := range wanted {
			if wire.IsAbsent(o.Raw(name)) {
				server = wire.With(server, []string{name}, []byte("[]"))
			}
		}
		return server
	})
}

// infoTo2 translates the info of a session to version 2.
var infoTo2 = with(field{name: "updatedAt", form: date})

// date keeps a time in the format of RFC 3339.
func date(raw []byte) []byte {
	text, _ := wire.Text(raw)
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		return nil
	}
	return raw
}

// isEmpty reports whether a value is a list without elements.
func isEmpty(list []byte) bool {
	elements, ok := wire.Elements(list)
	return ok && len(elements) == 0
}

// permissionOptionsTo1 translates the options of a permission request to version 1. It omits
// options of kinds that version 1 does not have, because a client could show them with another
// meaning.
func permissionOptionsTo1(options []byte) []byte {
	return mapElements(options, func(option []byte) []byte {
		switch kind, _ := open(option).Text("kind"); kind {
		case acp.AllowOnce, acp.AllowAlways, acp.RejectOnce, acp.RejectAlways:
			return option
		}
		return nil
	})
}

// locationsTo2 translates the locations of a tool call to version 2, where lines begin at 1.
var locationsTo2 = each(with(field{name: "line", form: atLeast(1)}))
