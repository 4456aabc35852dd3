//go:build unix

package planfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/translate/plans"
)

// A watcher reports changes in real folders, and leaves no goroutine.
func TestWatcherReportsFolders(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	dir := filepath.Join(t.TempDir(), "later")
	file := filepath.Join(dir, "plan.md")
	reports := make(chan string, 100)
	w := newWatcher(
		func(f plans.File) stamp { return Reader{}.stamp(f.URI, f.Roots) },
		func(name string) { reports <- name })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		w.run(ctx)
		close(done)
	}()
	w.watch(map[string]plans.File{"f": {URI: "file://" + file, Roots: []string{filepath.Dir(dir)}}})
	heard := func(what string) { // how soon is tested with a clock that does not depend on the machine
		t.Helper()
		select {
		case <-reports:
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: not reported", what)
		}
	}
	heard("at first")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(path string) {
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		time.Sleep(reportEvery)
		write(file + ".new")
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
		heard("renamed")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	heard("the folder has gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(file)
	heard("it is there again")
	w.watch(nil)
	write(filepath.Join(dir, "plan.md"))
	time.Sleep(reportEvery)
	if len(reports) > 0 {
		t.Error("reported a file that is no longer watched")
	}
	cancel()
	<-done
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > goroutines && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines are left of the watch", n-goroutines)
	}
}

// A file that may be half written is not read.
func TestReadWaitsForAFileToSettle(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(dir, "plan.md")
		write := func(text string, modified time.Time) {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, modified, modified); err != nil {
				t.Fatal(err)
			}
		}
		read := func(want string, after time.Duration) {
			t.Helper()
			begun := time.Now()
			got, err := readSettled(Reader{}, "file://"+file, []string{dir})
			if took := time.Since(begun); err != nil || got != want || took != after {
				t.Errorf("Read = %q, %v after %v, want %q after %v", got, err, took, want, after)
			}
		}
		write("old", time.Now().Add(-time.Minute))
		read("old", 0)
		write("new", time.Now())
		read("new", settle)
		write("of tomorrow", time.Now().Add(24*time.Hour))
		read("of tomorrow", settle)
		write("ha", time.Now())
		go func() {
			time.Sleep(settle / 2)
			write("half", time.Now())
		}()
		read("half", 2*settle)

		go func() {
			for i := range 100 {
				write(strings.Repeat("x", i), time.Now())
				time.Sleep(settle / 3)
			}
		}()
		time.Sleep(time.Millisecond)
		begun := time.Now()
		roots := []string{dir, filepath.Dir(dir), dir + "/"} // all have it inside
		if text, err := readSettled(Reader{Roots: roots}, "file://"+file, roots); !errors.Is(err, plans.ErrBusy) || time.Since(begun) > maxLooks*settle {
			t.Errorf("Read = %q, %v after %v of a file that is being written", text, err, time.Since(begun))
		}
		begun = time.Now()
		if text, err := (Reader{}).ReadNow("file://"+file, roots); !errors.Is(err, plans.ErrBusy) || time.Since(begun) > 0 {
			t.Errorf("ReadNow = %q, %v after %v", text, err, time.Since(begun))
		}
		targets, live := []plans.File{{URI: "file://" + file, Roots: roots}, {URI: "file://" + file + ".old", Roots: roots}}, NewLive(LiveOptions{})
		if live.AwaitWrites(targets); time.Since(begun) > settle {
			t.Errorf("waited for %v", time.Since(begun))
		}
		time.Sleep(time.Minute)
		begun = time.Now()
		live.AwaitWrites(targets)
		if text, err := (Reader{}).ReadNow("file://"+file, roots); err != nil || len(text) != 99 || time.Since(begun) > 0 {
			t.Errorf("ReadNow = %q, %v after %v, when it rests", text, err, time.Since(begun))
		}
		write("new", time.Now())
		if live.AwaitWrites(targets); time.Since(begun) != settle {
			t.Errorf("waited for %v", time.Since(begun))
		}
		if text, err := (Reader{}).ReadNow("file://"+file, roots); err != nil || text != "new" {
			t.Errorf("ReadNow = %q, %v of one that came to rest", text, err)
		}
	})
}
