package planfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

func TestReadOnWindows(t *testing.T) {
	base, err := os.MkdirTemp("", "Plan Files")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base) // t.TempDir fails where it cannot: wine 8
	for name, text := range map[string]string{`root\Long Folder\plan.md`: "the plan", `outside\secret`: "the secret"} {
		file := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root := filepath.Join(base, "root")
	if err := os.Symlink(filepath.Join(base, "outside"), filepath.Join(root, "link")); err != nil {
		t.Log("no links:", err)
	}
	short := shortName(t, filepath.Join(root, "Long Folder"))
	t.Logf("the short name is %q", short)

	for _, test := range []struct {
		name, uri, root string
		want, err       string
	}{
		{"as it is", `file:///` + root + `\Long Folder\plan.md`, root, "the plan", ""},
		{"escaped", `file://` + strings.ReplaceAll(root, `\`, "%5C") + `%5CLong%20Folder%5Cplan.md`, root, "the plan", ""},
		{"in another case", `file:///` + strings.ToLower(root) + `/LONG FOLDER/PLAN.MD`, strings.ToUpper(root), "the plan", ""},
		{"the root with slashes", `file:///` + root + `/Long Folder/plan.md`, filepath.ToSlash(root), "the plan", ""},
		{"by a short name", `file:///` + root + `/` + short + `/plan.md`, root, "the plan", ""},
		{"the root by a short name", `file:///` + root + `/` + short + `/plan.md`, root + `\` + short, "the plan", ""},
		{"dots that stay inside", `file:///` + root + `/x/../Long Folder/plan.md`, root, "the plan", ""},
		{"dots that lead out", `file:///` + root + `/../outside/secret`, root, "", "is outside the session's folders"},
		{"escaped dots that lead out", `file:///` + root + `/x%5C..%5C..%5Coutside/secret`, root, "", "is outside the session's folders"},
		{"a sibling whose name begins like the root", `file:///` + root + `2/secret`, root, "", "is outside the session's folders"},
		{"another drive", `file:///Z:/etc/passwd`, root, "", "is outside the session's folders"},
		{"a share", `file://server/share/plan.md`, root, "", "is outside the session's folders"},
		{"a link that leads out", `file:///` + root + `/link/secret`, root, "", "link"},
		{"a stream", `file:///` + root + `/Long Folder/plan.md::$DATA`, root, "", "is a device, a stream or an invalid name"},
		{"a device", `file:///` + root + `/NUL`, root, "", "is a device, a stream or an invalid name"},
		{"a device with an extension", `file:///` + root + `/con.md`, root, "", "is a device, a stream or an invalid name"},
		{"a folder", `file:///` + root + `/Long Folder`, root, "", "is not a regular file"},
		{"a file that is not there", `file:///` + root + `/none.md`, root, "", "none.md"},
		{"a root that is no absolute path", `file:///` + root + `/Long Folder/plan.md`, root[2:], "", "is outside the session's folders"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := readSettled(Reader{}, test.uri, []string{test.root})
			if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s is %q, %v, want %q or an error with %q", test.uri, got, err, test.want, test.err)
			}
			allowed := Reader{}.Allows(test.uri, []string{test.root})
			if test.err == "" && allowed != nil || strings.Contains(test.err, "outside") && allowed == nil {
				t.Errorf("%s is allowed: %v", test.uri, allowed)
			}
		})
	}
}

// shortName returns the 8.3 name of a file, or its name if it has none.
func shortName(t *testing.T, path string) string {
	from, err := windows.UTF16PtrFromString(path)
	if err != nil {
		t.Fatal(err)
	}
	to := make([]uint16, windows.MAX_PATH)
	n, err := windows.GetShortPathName(from, &to[0], uint32(len(to)))
	if err != nil || int(n) > len(to) {
		t.Fatalf("%v, %d characters", err, n)
	}
	return filepath.Base(windows.UTF16ToString(to[:n]))
}
