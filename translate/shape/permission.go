package shape

import (
	"slices"
	"strings"

	"acpshim/internal/wire"
)

// kinds are the kinds that a permission option may have.
var kinds = []string{"allow_once", "allow_always", "reject_once", "reject_always"}

// permissionOptions returns the options of a permission request with a kind of the protocol each;
// nil if they have one.
//
// A kind says how a client shows an option, and which one it chooses by itself where it is told to
// allow or to reject everything. So a word that does not say that it allows never becomes consent.
// One that does not say that it rejects, either, is not the first that a client finds that rejects:
// it might be an approval.
func permissionOptions(options []byte) []byte {
	all, _ := wire.Elements(options)
	isOffered := map[string]bool{}
	for _, raw := range all {
		o, _ := wire.Parse(raw)
		isOffered[kindOf(o)] = true
	}
	return wire.MapElements(options, func(raw []byte) []byte {
		raw = complete(raw, permissionOption)
		o, err := wire.Parse(raw)
		if err != nil {
			return raw
		}
		is, kind := o.Raw("kind"), kindOf(o)
		switch word, _ := wire.Text(is); {
		case slices.Contains(kinds, word):
			return raw
		case kind == "" && isOffered["reject_once"]:
			kind = "reject_always"
		case kind == "":
			kind = "reject_once"
		}
		return wire.Splice(nil, raw, o.Set(wire.Setting{Name: "kind", Value: wire.Quote(nil, kind)})...)
	})
}

// kindOf is the kind of the protocol that an option's own kind means; "" if that is not plain.
func kindOf(option *wire.Object) string {
	word, _ := option.Text("kind")
	lower := strings.ToLower(word)
	switch {
	case slices.Contains(kinds, word):
		return word
	case strings.HasPrefix(lower, "allow") && lasts(lower):
		return "allow_always"
	case strings.HasPrefix(lower, "allow"):
		return "allow_once"
	case slices.ContainsFunc([]string{"reject", "deny", "decline", "refuse", "cancel"}, func(p string) bool { return strings.HasPrefix(lower, p) }):
		return "reject_once"
	}
	return ""
}

// lasts reports whether a word says that consent lasts.
func lasts(word string) bool {
	return slices.ContainsFunc([]string{"always", "persist", "permanent", "forever", "session", "all_"}, func(w string) bool { return strings.Contains(word, w) })
}
