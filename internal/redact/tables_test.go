package redact

import (
	"slices"
	"strings"
	"testing"
)

func TestNamesAreOfKnownClasses(t *testing.T) {
	for row := range rows(nameTable) {
		if class, _, _ := strings.Cut(row, " "); !slices.Contains(strings.Fields(classNames), class) || !strings.Contains(row, "|") {
			t.Errorf("names.txt: %q: want one of %s, and a |", row, classNames)
		}
	}
}

func TestUsagesEndInSecrets(t *testing.T) {
	for line := range lines(commandTable) {
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
