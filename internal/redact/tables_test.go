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
