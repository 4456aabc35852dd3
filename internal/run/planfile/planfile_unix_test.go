//go:build unix

package planfile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestPath(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///tmp/plan.md":          "/tmp/plan.md",
		"file://localhost/tmp/plan.md": "/tmp/plan.md",
		"file:///tmp/my%20plan.md":     "/tmp/my plan.md",
		"file:///tmp/a/../plan.md":     "/tmp/plan.md",
		"file:///tmp/%2e%2e/etc/x":     "/etc/x",
		"file:/tmp/plan.md":            "/tmp/plan.md",
	} {
		if got, err := Path(uri); err != nil || got != want {
			t.Errorf("Path(%q) = %q, %v, want %q", uri, got, err, want)
		}
	}
	for _, uri := range []string{"file:///tmp/plan#1.md", "file:///tmp/plan?x", "file:///tmp/plan?"} {
		if got, err := Path(uri); err == nil || !strings.Contains(err.Error(), "not escaped") {
			t.Errorf("Path(%q) = %q, %v: another file's name", uri, got, err)
		}
	}
	for _, uri := range []string{
		"", "/tmp/plan.md", "https://example.com/plan.md", "file://other/share/plan.md",
		"file:plan.md", "file:///tmp/a%00b", "untitled:plan", "file://%zz/x", "\x00",
	} {
		if got, err := Path(uri); err == nil || !strings.Contains(err.Error(), "want file:///path/to/plan.md") {
			t.Errorf("Path(%q) = %q, %v, want an error that says what is wanted", uri, got, err)
		}
	}
}

func TestRead(t *testing.T) {
	base := t.TempDir()
	root, outside := filepath.Join(base, "root"), filepath.Join(base, "outside")
	for _, dir := range []string{root, outside, filepath.Join(root, "sub")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(root, "sub", "plan.md"), "the plan")
	write(filepath.Join(outside, "secret"), "the secret")
	write(filepath.Join(root, "full"), strings.Repeat("x", MaxSize))
	write(filepath.Join(root, "large"), strings.Repeat("x", MaxSize+1))
	for link, target := range map[string]string{
		"in": filepath.Join("sub", "plan.md"), "out": "../outside/secret", "absolute": filepath.Join(outside, "secret"),
		"outdir": "../outside", "loop": "loop", "dangling": "nothing",
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(root, filepath.Join(base, "alias")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}

	tests := []struct {
		name, path, root string
		want, err        string
	}{
		{"a file inside", "root/sub/plan.md", "root", "the plan", ""},
		{"a file of the largest size", "root/full", "root", strings.Repeat("x", MaxSize), ""},
		{"a link that stays inside", "root/in", "root", "the plan", ""},
		{"the root named by a link", "alias/sub/plan.md", "alias", "the plan", ""},
		{"the root a link, the file named without it", "root/sub/plan.md", "alias", "the plan", ""},
		{"a file too large", "root/large", "root", "", "is larger than 256 KiB"},
		{"a file that is not there", "root/none", "root", "", "no such file"},
		{"a file outside", "outside/secret", "root", "", "is outside the session's folders"},
		{"a sibling whose name begins like the root", "root2/x", "root", "", "is outside the session's folders"},
		{"a link that leads out", "root/out", "root", "", "path escapes"},
		{"an absolute link that leads out", "root/absolute", "root", "", "path escapes"},
		{"a folder link that leads out", "root/outdir/secret", "root", "", "path escapes"},
		{"a link to itself", "root/loop", "root", "", "too many"},
		{"a link to nothing", "root/dangling", "root", "", "no such file"},
		{"a FIFO that nobody writes", "root/fifo", "root", "", "is not a regular file"},
		{"a folder", "root/sub", "root", "", "is not a regular file"},
		{"a root that is not there", "gone/x", "gone", "", "no such file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			uri := "file://" + filepath.ToSlash(filepath.Join(base, test.path))
			got, err := readSettled(Reader{}, uri, []string{"relative", filepath.Join(base, test.root)})
			switch {
			case test.err == "" && (err != nil || got != test.want):
				t.Errorf("Read = %.20q, %v, want %.20q", got, err, test.want)
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Errorf("Read = %.20q, %v, want an error with %q", got, err, test.err)
			case test.err != "" && !strings.Contains(err.Error(), filepath.Base(test.path)):
				t.Errorf("the error %q does not name the file", err)
			}
		})
	}
	if _, err := readSettled(Reader{Roots: []string{outside}}, "file://"+outside+"/secret", nil); err != nil {
		t.Errorf("a root of the reader's own: %v", err)
	}
}
