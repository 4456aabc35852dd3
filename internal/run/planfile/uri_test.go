package planfile

import (
	"strings"
	"testing"
)

func TestWindowsPath(t *testing.T) {
	for uri, want := range map[string]string{
		// As agents spell them.
		`file:///C:/Users/x/plan.md`:            `C:\Users\x\plan.md`,
		`file:///c:/Users/x/plan.md`:            `C:\Users\x\plan.md`,
		`file:///c%3A/Users/x/plan.md`:          `C:\Users\x\plan.md`,
		`file://C:%5CUsers%5Cx%5Cplan.md`:       `C:\Users\x\plan.md`,
		`file://C:\Users\x\plan.md`:             `C:\Users\x\plan.md`,
		`file://C:/Users/x/plan.md`:             `C:\Users\x\plan.md`,
		`file:///C:\Users\x\plan.md`:            `C:\Users\x\plan.md`,
		`file:///C:%5cUsers%5cx%5cplan.md`:      `C:\Users\x\plan.md`,
		`file:/C:/Users/x/plan.md`:              `C:\Users\x\plan.md`,
		`file:C:/Users/x/plan.md`:               `C:\Users\x\plan.md`,
		`file:////C:/Users/x/plan.md`:           `C:\Users\x\plan.md`,
		`file://localhost/C:/Users/x/plan.md`:   `C:\Users\x\plan.md`,
		`FILE://LOCALHOST/c:/Users/x/plan.md`:   `C:\Users\x\plan.md`,
		`file:///C:/my%20plan%231%3b100%25.md`:  `C:\my plan#1;100%.md`,
		`file:///C:/my plan.md`:                 `C:\my plan.md`,
		`file:///C:/Pl%C3%A4ne/plan.md`:         `C:\Pläne\plan.md`,
		`file:///C:/PROGRA~1/.cfg/plan.tar.md`:  `C:\PROGRA~1\.cfg\plan.tar.md`,
		`file:///C:/Users//x/./plan.md`:         `C:\Users\x\plan.md`,
		`file:///C:/Users/x/../y/plan.md`:       `C:\Users\y\plan.md`,
		`file:///C:/root/%2e%2e/secret`:         `C:\secret`,
		`file:///C:/root/..%5C..%5C..%5Csecret`: `C:\secret`,
		`file:///C:/`:                           `C:\`,
		`file://server/share/dir/plan.md`:       `\\server\share\dir\plan.md`,
		`file:////server/share/dir/plan.md`:     `\\server\share\dir\plan.md`,
		`file://///server/share/dir/plan.md`:    `\\server\share\dir\plan.md`,
		`file://\\server\share\plan.md`:         `\\server\share\plan.md`,
		`file:\\server\share\plan.md`:           `\\server\share\plan.md`,
		`file://%5C%5Cserver%5Cshare%5Cplan.md`: `\\server\share\plan.md`,
		`file://wsl.localhost/Debian/plan.md`:   `\\wsl.localhost\Debian\plan.md`,
		`file://wsl$/Debian/plan.md`:            `\\wsl$\Debian\plan.md`,
		`file://server/share/../../other/x`:     `\\server\share\other\x`,
		// These are no devices.
		`file:///C:/console/nul1/com10/lpt.md`: `C:\console\nul1\com10\lpt.md`,
	} {
		if got, err := windowsPath(uri); err != nil || got != want {
			t.Errorf("%s is %s, %v, want %s", uri, got, err, want)
		}
	}
	for uri, want := range map[string]string{
		``:                                       "is not a file URI",
		`C:\plan.md`:                             "is not a file URI",
		`https://example.com/plan.md`:            "is not a file URI",
		`file:///C:/%zz`:                         "is not a URI",
		`file:///C:/plan.md?x`:                   "not escaped",
		`file:///C:/plan#1.md`:                   "not escaped",
		`file://\\?\C:\plan.md`:                  "not escaped",
		`file:`:                                  "does not have an absolute path",
		`file:///`:                               "does not have an absolute path",
		`file:plan.md`:                           "does not have an absolute path",
		`file:///tmp/plan.md`:                    "does not have an absolute path",
		`file:///C:plan.md`:                      "does not have an absolute path",
		`file:///C:`:                             "does not have an absolute path",
		`file:///CC:/plan.md`:                    "does not have an absolute path",
		`file:///1:/plan.md`:                     "does not have an absolute path",
		`file://server`:                          "does not have a share",
		`file://server/`:                         "does not have a share",
		`file://server/share`:                    "does not have an absolute path",
		`file:////%3F/C:/plan.md`:                "does not have a share",
		`file://./C:/plan.md`:                    "does not have a share",
		`file:////./pipe/x`:                      "does not have a share",
		`file://../share/x`:                      "does not have a share",
		`file:///C:/root/plan.md:stream`:         "is a device, a stream or",
		`file:///C:/root/plan.md%3A%3A$DATA`:     "is a device, a stream or",
		`file:///C:/root/sub:x:$INDEX_ALLOC/p`:   "is a device, a stream or",
		`file:///C:/root/C:/plan.md`:             "is a device, a stream or",
		`file:///C:/root/NUL`:                    "is a device, a stream or",
		`file:///C:/root/con.md`:                 "is a device, a stream or",
		`file:///C:/root/Aux%20.tar.md`:          "is a device, a stream or",
		`file:///C:/root/com1/plan.md`:           "is a device, a stream or",
		`file:///C:/root/LPT%C2%B9.md`:           "is a device, a stream or",
		`file:///C:/root/CONIN$`:                 "is a device, a stream or",
		`file:///C:/root/.../plan.md`:            "is a device, a stream or",
		`file:///C:/root/..%20/plan.md`:          "is a device, a stream or",
		`file:///C:/root/plan.md.`:               "is a device, a stream or",
		`file:///C:/root/plan.md%20`:             "is a device, a stream or",
		`file:///C:/root/a%00b`:                  "is a device, a stream or",
		`file:///C:/root/plan*.md`:               "is a device, a stream or",
		`file://server/share/plan.md:x`:          "is a device, a stream or",
		`file://server/nul/plan.md`:              "does not have a share",
		`file://server:80/share/plan.md`:         "does not have a share",
		`file://user%40server%5C%5Cshare/plan.m`: "does not have a share",
	} {
		if got, err := windowsPath(uri); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is %s, %v, want an error with %q", uri, got, err, want)
		}
	}
}

// FuzzWindowsPath: Windows uses the path of any URI as it is, and the URI of the path has the same
// path.
func FuzzWindowsPath(f *testing.F) {
	for _, uri := range []string{"file:///C:/a/../b", `file://C:%5Ca%5C..%5Cb`, "file://server/share/a", "file:///C:/a:b/NUL.x/.. /c.", "file:////?/C:/"} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		path, err := windowsPath(uri)
		if err != nil {
			return
		}
		drive := len(path) > 2 && 'A' <= path[0] && path[0] <= 'Z' && path[1:3] == `:\`
		if !drive && !strings.HasPrefix(path, `\\`) {
			t.Fatalf("%q is %q", uri, path)
		}
		for i, name := range strings.Split(strings.TrimPrefix(path, `\\`), `\`) {
			if (i > 0 || !drive) && name != "" && !ordinary(name) {
				t.Fatalf("%q is %q", uri, path)
			}
		}
		escaped := strings.NewReplacer("%", "%25", "#", "%23", `\`, "/").Replace(path)
		if drive {
			escaped = "/" + escaped
		}
		if again, err := windowsPath("file://" + strings.TrimPrefix(escaped, "//")); err != nil || again != path {
			t.Fatalf("%q is %q, the path of which is %q, %v", uri, path, again, err)
		}
	})
}
