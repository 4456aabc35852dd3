package links

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"acpshim/internal/adapters/paths"
)

// name returns what a URI names: a path, with its lines, or the URI itself. Quoted says that what
// begins with a slash is put in backquotes.
func name(uri string, quoted bool) string {
	path, suffix, ok := paths.FromURI(uri)
	place, isKnown := placeOf(suffix)
	if !ok || !isKnown || strings.ContainsFunc(path, unicode.IsControl) {
		path, place = uri, ""
	}
	if quoted && strings.HasPrefix(strings.TrimSpace(path), "/") {
		path = "`" + path + "`"
	}
	return path + place
}

// lines matches the fragments in which clients name lines: L9, L9:15, L9-15, L9-L15, L9C1-L15C3.
var lines = regexp.MustCompile(`^L(\d+)(?:C\d+)?(?:(?::|-L?)(\d+)(?:C\d+)?)?$`)

// placeOf returns the words for the query and the fragment of a file URI; ok is false if they are
// something else than a symbol and lines.
func placeOf(suffix string) (words string, ok bool) {
	query, fragment, _ := strings.Cut(suffix, "#")
	var parts []string
	if query = strings.TrimPrefix(query, "?"); query != "" {
		values, err := url.ParseQuery(query)
		if err != nil || len(values) != 1 || values.Get("symbol") == "" {
			return "", false
		}
		parts = append(parts, "symbol "+values.Get("symbol"))
	}
	if fragment != "" {
		found := lines.FindStringSubmatch(fragment)
		switch {
		case found == nil:
			return "", false
		case found[2] == "" || found[2] == found[1]:
			parts = append(parts, "line "+found[1])
		default:
			parts = append(parts, "lines "+found[1]+" to "+found[2])
		}
	}
	if parts == nil {
		return "", true
	}
	return " (" + strings.Join(parts, ", ") + ")", true
}
