package shape

import (
	"bytes"
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// kinds are the kinds of permission options.
var kinds = []string{acp.AllowOnce, acp.AllowAlways, acp.RejectOnce, acp.RejectAlways}

// permissionOptions returns the options of a permission request with valid kinds. It returns nil if
// they are valid, or if no safe kind is known.
//
// Clients use the kind to show an option, and to choose one on their own if they allow or reject
// everything. So an option gets a kind that allows only if its own kind says that it allows. An
// option whose own kind is unclear might be an approval. It gets the kind of an option that
// rejects, and moves to the end of the list. If no option rejects, the request stays as it is.
func permissionOptions(options []byte) []byte {
	all, _ := wire.Elements(options)
	var clear, unclear [][]byte
	rejects := ""
	for _, raw := range all {
		o, err := wire.Parse(raw)
		if err != nil {
			return nil
		}
		kind := kindOf(o)
		if rejects == "" && strings.HasPrefix(kind, "reject") {
			rejects = kind
		}
		if kind == "" {
			unclear = append(unclear, raw)
		} else {
			clear = append(clear, withKind(raw, kind))
		}
	}
	if unclear == nil {
		i := -1
		return wire.MapElements(options, func([]byte) []byte { i++; return clear[i] })
	}
	if rejects == "" {
		return nil
	}
	for _, raw := range unclear {
		clear = append(clear, withKind(raw, rejects))
	}
	return append(append([]byte{'['}, bytes.Join(clear, []byte{','})...), ']')
}

// withKind returns an option with a kind and a name.
func withKind(raw []byte, kind string) []byte {
	raw = complete(raw, permissionOption)
	o, _ := wire.Parse(raw)
	if is, _ := o.Text("kind"); is == kind {
		return raw
	}
	return wire.Splice(nil, raw, o.Set(wire.Setting{Name: "kind", Value: wire.Quote(nil, kind)})...)
}

// kindOf returns the valid kind for an option's own kind, or "" if that is unclear.
func kindOf(option *wire.Object) string {
	word, _ := option.Text("kind")
	lower := strings.ToLower(word)
	switch {
	case slices.Contains(kinds, word):
		return word
	case strings.HasPrefix(lower, "allow") && denies(lower):
		return ""
	case strings.HasPrefix(lower, "allow") && lasts(lower):
		return acp.AllowAlways
	case strings.HasPrefix(lower, "allow"):
		return acp.AllowOnce
	case slices.ContainsFunc([]string{"reject", "deny", "decline", "refuse", "cancel"}, func(p string) bool { return strings.HasPrefix(lower, p) }):
		if lasts(lower) { // never chosen for a plain no
			return acp.RejectAlways
		}
		return acp.RejectOnce
	}
	return ""
}

// denies reports whether a word that begins with "allow" may mean the opposite.
func denies(word string) bool {
	return slices.ContainsFunc([]string{"never", "no", "deny", "reject", "dis"}, func(w string) bool { return strings.Contains(word, w) })
}

// lasts reports whether a word means that the choice lasts.
func lasts(word string) bool {
	return slices.ContainsFunc([]string{"always", "persist", "permanent", "forever", "session", "all_"}, func(w string) bool { return strings.Contains(word, w) })
}
