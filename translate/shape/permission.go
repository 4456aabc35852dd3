package shape

import (
	"bytes"
	"slices"
	"strings"

	"acpshim/internal/wire"
)

// kinds are the kinds that a permission option may have.
var kinds = []string{"allow_once", "allow_always", "reject_once", "reject_always"}

// permissionOptions returns the options of a permission request with a kind of the protocol each;
// nil if they have one, or if none can be given safely.
//
// A kind says how a client shows an option, and which one it chooses by itself where it is told to
// allow or to reject everything. So a word that does not say that it allows never becomes consent.
// An option whose word does not say that it rejects, either, might be an approval: it stands after
// all others then, with the kind of one that rejects. If none does, the request stays as it is.
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

// withKind returns an option with a kind, and with a name.
func withKind(raw []byte, kind string) []byte {
	raw = complete(raw, permissionOption)
	o, _ := wire.Parse(raw)
	if is, _ := o.Text("kind"); is == kind {
		return raw
	}
	return wire.Splice(nil, raw, o.Set(wire.Setting{Name: "kind", Value: wire.Quote(nil, kind)})...)
}

// kindOf is the kind of the protocol that an option's own kind means; "" if that is not plain.
func kindOf(option *wire.Object) string {
	word, _ := option.Text("kind")
	lower := strings.ToLower(word)
	switch {
	case slices.Contains(kinds, word):
		return word
	case strings.HasPrefix(lower, "allow") && denies(lower):
		return ""
	case strings.HasPrefix(lower, "allow") && lasts(lower):
		return "allow_always"
	case strings.HasPrefix(lower, "allow"):
		return "allow_once"
	case slices.ContainsFunc([]string{"reject", "deny", "decline", "refuse", "cancel"}, func(p string) bool { return strings.HasPrefix(lower, p) }):
		return "reject_once"
	}
	return ""
}

// denies reports whether a word that begins with "allow" might say the opposite.
func denies(word string) bool {
	return slices.ContainsFunc([]string{"never", "no", "deny", "reject", "dis"}, func(w string) bool { return strings.Contains(word, w) })
}

// lasts reports whether a word says that consent lasts.
func lasts(word string) bool {
	return slices.ContainsFunc([]string{"always", "persist", "permanent", "forever", "session", "all_"}, func(w string) bool { return strings.Contains(word, w) })
}
