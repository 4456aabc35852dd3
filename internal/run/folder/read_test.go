package folder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acpshim/internal/adapters/files"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 5000) + "\n"
	for _, test := range []struct {
		text        string
		line, limit int
		want        string
		wrong       error
	}{
		{"", 0, -1, "", nil},
		{"", 1, 3, "", nil},
		{"", 2, -1, "", files.ErrRange},
		{"a\nb\nc", 0, -1, "a\nb\nc", nil},
		{"a\nb\nc", 1, 0, "", nil},
		{"a\nb\nc", 1, 1, "a\n", nil},
		{"a\r\nb\r\nc", 2, 1, "b\r\n", nil},
		{"a\nb\nc", 3, 9, "c", nil},
		{"a\nb\nc", 4, -1, "", files.ErrRange},
		{"a\nb\n", 3, -1, "", nil},
		{"a\nb\n", 4, -1, "", files.ErrRange},
		{long + long + "z\n", 3, 1, "z\n", nil},
		{long + long + "z\n", 2, 1, long, nil},
		{"\n\n\n", 2, 1, "\n", nil},
		{"\xe4\nb", 1, 1, "", errNotText},
		{"\xe4\nb", 2, 1, "b", nil},
		{"\ufeffa\x00", 1, -1, "\ufeffa\x00", nil},
		{strings.Repeat("x", MaxText), 1, -1, strings.Repeat("x", MaxText), nil},
		{strings.Repeat("x", MaxText+1), 1, -1, "", errLarge},
		{strings.Repeat("x", MaxText+1) + "\nb", 2, 1, "b", nil},
		{strings.Repeat("x", MaxText+1) + "\nb", 1, 1, "", errLarge},
	} {
		got, err := Lines(strings.NewReader(test.text), test.line, test.limit)
		if got != test.want || !errors.Is(err, test.wrong) {
			t.Errorf("%.20q from line %d, %d lines: %.20q, %v", test.text, test.line, test.limit, got, err)
		}
	}
}

// A sparse file without newlines is not read without end.
func TestSparseFileIsNotReadWithoutEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	name := filepath.Join(t.TempDir(), "hole")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 40); err != nil {
		t.Skip(err)
	}
	if _, err := Lines(f, 2, 1); err != errFar {
		t.Errorf("line 2: %v", err)
	}
}

// FuzzLines: a text that is read in parts is the same text.
func FuzzLines(f *testing.F) {
	f.Add("a\nb\r\n\nc", uint8(2))
	f.Fuzz(func(t *testing.T, text string, every uint8) {
		step := int(every%7) + 1
		var all strings.Builder
		for line := 1; ; line += step {
			part, err := Lines(strings.NewReader(text), line, step)
			if err == errNotText {
				return
			}
			if err != nil && !errors.Is(err, files.ErrRange) {
				t.Fatal(err)
			}
			if all.WriteString(part); strings.Count(part, "\n") < step {
				break
			}
		}
		if all.String() != text {
			t.Errorf("got %q of %q", all.String(), text)
		}
	})
}
