package versions

import (
	"math"
	"slices"
	"strconv"

	"acpshim/internal/chain/wire"
)

// A form fits a value of one version to the other version, where that demands more of it. It
// returns the value itself if it fits, and nil if nothing of it can stay.
type form func(value []byte) []byte

// each fits the elements of a list. It leaves out those of which nothing can stay.
func each(f form) form {
	return func(list []byte) []byte { return mapElements(list, f) }
}

// some is each for a list that must not be empty.
func some(f form) form {
	return func(list []byte) []byte {
		list = mapElements(list, f)
		if elements, ok := wire.Elements(list); ok && len(elements) == 0 {
			return nil
		}
		return list
	}
}

// A field is the form of a member.
type field struct {
	name       string
	form       form
	isRequired bool // without it nothing of the object can stay
}

// with fits members of an object. It removes those of which nothing can stay. Null stays.
func with(fields ...field) form {
	return func(raw []byte) []byte {
		o := open(raw)
		for _, f := range fields {
			is := o.Raw(f.name)
			if wire.IsAbsent(is) {
				continue
			}
			switch fitted := f.form(is); {
			case fitted == nil && f.isRequired:
				return nil
			case fitted == nil:
				raw = wire.Without(raw, f.name)
			case string(fitted) != string(is):
				raw = wire.With(raw, []string{f.name}, fitted)
			}
		}
		return raw
	}
}

// oneOf keeps texts of a list.
func oneOf(texts ...string) form {
	return func(raw []byte) []byte {
		if text, _ := wire.Text(raw); slices.Contains(texts, text) {
			return raw
		}
		return nil
	}
}

// between keeps numbers of a range.
func between(least, most float64) form {
	return func(raw []byte) []byte {
		if n, err := strconv.ParseFloat(string(raw), 64); err == nil && least <= n && n <= most {
			return raw
		}
		return nil
	}
}

// atLeast keeps numbers from a limit on.
func atLeast(least float64) form { return between(least, math.Inf(1)) }

// then fits a value to one form after another.
func then(forms ...form) form {
	return func(raw []byte) []byte {
		for _, f := range forms {
			if raw = f(raw); raw == nil {
				return nil
			}
		}
		return raw
	}
}
