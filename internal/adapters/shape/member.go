package shape

import (
	"bytes"
	"strconv"
	"time"

	"acpshim/internal/chain/wire"
)

// A member is a member that version 1 of the protocol requires, or whose type it restricts.
type member struct {
	name string
	is   func(raw []byte) bool            // reports whether a strict client accepts it; raw is nil if it is absent
	from func(object *wire.Object) []byte // returns a correct value, or nil
}

// The members that are corrected, by the objects that have them.
var (
	permissionOption = []member{
		{"name", wire.IsString, text("optionId")},
	}
	session = []member{
		{"sessionId", wire.IsString, text("id", "session_id")},
		{"updatedAt", isTextOrAbsent, date("updatedAt")},
	}
	command = []member{
		{"description", wire.IsString, text("name")},
	}
	mode = []member{
		{"name", wire.IsString, text("id")},
	}
	option = []member{
		{"name", wire.IsString, text("id")},
	}
	group = []member{
		{"name", wire.IsString, text("group")},
	}
	value = []member{
		{"name", wire.IsString, text("value")},
	}
	chunk = []member{
		{"content", isBlock, content},
	}
	currentMode = []member{
		{"currentModeId", wire.IsString, text("modeId")},
	}
)

// complete returns an object with corrected members.
func complete(raw []byte, members []member) []byte {
	object, err := wire.Parse(raw)
	if err != nil {
		return raw
	}
	settings := missing(object, members)
	if settings == nil {
		return raw
	}
	return wire.Splice(nil, raw, object.Set(settings...)...)
}

// missing returns the members of an object that have to be set.
func missing(object *wire.Object, members []member) (settings []wire.Setting) {
	for _, m := range members {
		if m.is(object.Raw(m.name)) {
			continue
		}
		if value := m.from(object); value != nil {
			settings = append(settings, wire.Setting{Name: m.name, Value: value})
		}
	}
	return settings
}

// elements returns a list with corrected objects, or nil if they are correct.
func elements(list []byte, members []member) []byte {
	return wire.MapElements(list, func(raw []byte) []byte { return complete(raw, members) })
}

// text takes the value of a member from the first of these members that is a string.
func text(names ...string) func(*wire.Object) []byte {
	return func(object *wire.Object) []byte {
		for _, name := range names {
			if raw := object.Raw(name); wire.IsString(raw) {
				return bytes.Clone(raw)
			}
		}
		return nil
	}
}

// date converts a member from seconds or milliseconds since 1970.
func date(name string) func(*wire.Object) []byte {
	return func(object *wire.Object) []byte {
		n, err := strconv.ParseFloat(string(object.Raw(name)), 64)
		switch {
		case err != nil || n <= 0 || n > 253402300799999: // the end of the year 9999
			return nil
		case n > 1e11:
			n /= 1000
		}
		return wire.Quote(nil, time.UnixMilli(int64(n*1000)).UTC().Format("2006-01-02T15:04:05.000Z"))
	}
}

func isTextOrAbsent(raw []byte) bool { return wire.IsAbsent(raw) || wire.IsString(raw) }

func isNumber(raw []byte) bool {
	_, err := strconv.ParseFloat(string(raw), 64)
	return err == nil
}
