package redact

import (
	"strings"
	"testing"
)

// Reading the table panics if a row is wrong.
func TestNamesAreOfKnownClasses(t *testing.T) {
	n := knownNames()
	for section, rows := range map[string]int{
		"names": len(n.names), "last words": len(n.lastWords), "members": len(n.roles), "hints": len(n.hints), "suffixes": len(n.suffixes),
		"infixes": len(n.infixes), "qualifiers": len(n.qualifiers), "placeholders": len(n.placeholders),
	} {
		if rows == 0 {
			t.Errorf("names.txt: section %q is empty", section)
		}
	}
	for name := range n.roles {
		if string(normalize([]byte(name))) != name {
			t.Errorf("names.txt: %q is never compared: want lower case without signs", name)
		}
	}
	for name := range n.names {
		if name := strings.TrimPrefix(name, "^"); string(normalize([]byte(name))) != name {
			t.Errorf("names.txt: %q is never compared: want lower case without signs", name)
		}
	}
}

func TestUsagesEndInSecrets(t *testing.T) {
	for _, line := range tableLines(commandsTXT) {
		if strings.HasPrefix(line, "  ") && !strings.HasSuffix(line, "SECRET") {
			t.Errorf("commands.txt: %q: want SECRET at the end", line)
		}
	}
	for program, c := range commands() {
		if len(c.steps) >= 64 {
			t.Errorf("commands.txt: %s has %d steps, want fewer than 64", program, len(c.steps))
		}
	}
}
