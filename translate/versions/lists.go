package versions

import (
	"time"

	"acpshim/internal/wire"
)

// Lists whose elements the versions spell otherwise. Where both spellings can stand in one object,
// both are written: readers of either version skip the other.

// optionsTo1 returns configuration options for version 1, which has two types of them.
func optionsTo1(options []byte) []byte {
	return mapped(options, func(option []byte) []byte {
		kind, _ := open(option).Text("type")
		if kind != "select" && kind != "boolean" {
			return nil
		}
		return named(groups(option, "groupId", "group"), "configId", "id")
	})
}

// optionsTo2 is optionsTo1 the other way.
func optionsTo2(options []byte) []byte {
	return mapped(options, func(option []byte) []byte {
		return named(groups(option, "group", "groupId"), "id", "configId")
	})
}

// groups names the groups of an option's values in the other spelling, too.
func groups(option []byte, name, other string) []byte {
	o := open(option)
	values := o.Raw("options")
	if with := wire.MapElements(values, func(group []byte) []byte { return named(group, name, other) }); with != nil {
		return wire.Splice(nil, option, o.Set(wire.Setting{Name: "options", Value: with})...)
	}
	return option
}

// commandsTo1 returns commands for version 1, which has one type of them.
func commandsTo1(commands []byte) []byte {
	return mapped(commands, func(command []byte) []byte {
		if kind, ok := open(command).Text("type"); ok && kind != "command" {
			return nil
		}
		return command
	})
}

// commandsTo2 is commandsTo1 the other way.
func commandsTo2(commands []byte) []byte {
	return mapped(commands, func(command []byte) []byte {
		if o := open(command); o.Get("input") != nil && wire.IsAbsent(o.Raw("input")) {
			command = wire.Without(command, "input")
		} else if input := o.Raw("input"); wire.IsObject(input) {
			command = wire.With(command, []string{"input"}, typed(input, "text"))
		}
		return typed(command, "command")
	})
}

// typed returns an object with a type, if it has none.
func typed(raw []byte, kind string) []byte {
	if o := open(raw); o != nil && o.Get("type") == nil {
		return wire.Splice(nil, raw, o.Set(wire.Setting{Name: "type", Value: wire.Quote(nil, kind)})...)
	}
	return raw
}

// serversTo2 returns MCP servers for version 2, in which those on stdio have a type, too.
func serversTo2(servers []byte) []byte {
	return mapped(servers, func(server []byte) []byte { return typed(server, "stdio") })
}

// serversTo1 is serversTo2 the other way: version 1 wants what version 2 may leave out.
func serversTo1(servers []byte) []byte {
	return mapped(servers, func(server []byte) []byte {
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

// infoTo2 returns what is known of a session for version 2, in which a time is one of RFC 3339.
func infoTo2(info []byte) []byte {
	raw := open(info).Raw("updatedAt")
	if text, ok := wire.Text(raw); ok {
		if _, err := time.Parse(time.RFC3339, text); err == nil {
			return info
		}
	} else if wire.IsAbsent(raw) {
		return info
	}
	return wire.Without(info, "updatedAt")
}

// permissionOptionsTo1 returns the options of a permission request for version 1. What it has no
// kind for is left out: nobody is to consent, or to refuse, to more than he reads.
func permissionOptionsTo1(options []byte) []byte {
	return mapped(options, func(option []byte) []byte {
		switch kind, _ := open(option).Text("kind"); kind {
		case "allow_once", "allow_always", "reject_once", "reject_always":
			return option
		}
		return nil
	})
}
