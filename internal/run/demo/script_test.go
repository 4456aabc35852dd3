package demo

import "testing"

func TestFileURI(t *testing.T) {
	for path, want := range map[string]string{
		"/tmp/a plan.md":            "file:///tmp/a%20plan.md",
		"C:/Users/x y/100%/plan.md": "file:///C:/Users/x%20y/100%25/plan.md",
		"//server/share/plan.md":    "file:////server/share/plan.md",
	} {
		if got := fileURI(path); got != want {
			t.Errorf("fileURI(%q) = %q, want %q", path, got, want)
		}
	}
}
