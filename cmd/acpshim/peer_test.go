package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// peerMain runs the process's arguments and returns its exit status. 99 means that
// a step could not be done.
func peerMain() int {
	p := testPeer{in: bufio.NewReader(os.Stdin), came: map[syscall.Signal]chan struct{}{}}
	for i, step := range os.Args[1:] {
		word, arg, _ := strings.Cut(step, ":")
		if word == "args" {
			for _, a := range os.Args[i+2:] {
				fmt.Printf("%q\n", a)
			}
			return 0
		}
		if word == "exit" {
			n, _ := strconv.Atoi(arg)
			return n
		}
		if err := p.do(word, arg); err != nil {
			fmt.Fprintf(os.Stderr, "peer: %s: %v\n", step, err)
			return 99
		}
	}
	return 0
}

// A testPeer is a process that does what its arguments say, one after the
// other: an agent or a client that behaves badly on purpose. Tests run it as
// the command "peer".
//
//	send:TEXT      write TEXT and a newline to stdout, in one write
//	half:TEXT      the same without the newline
//	drip:TEXT      TEXT and a newline, one byte a write, 2 ms apart
//	err:TEXT       write TEXT and a newline to stderr
//	flood:NxSIZE   write N lines of SIZE bytes, numbered
//	play:NxFILE    write what FILE holds N times, each in one write; {n} in it
//	               becomes the number of the time, from 0
//	mute:NxSIZE    the same as flood to stderr, without a newline anywhere
//	recv           read a line of stdin; recv:TEXT requires that it is TEXT
//	until:TEXT     read lines of stdin up to one that is TEXT
//	eof            read stdin to its end
//	sum:FILE       the same, and write the count and SHA-256 of the bytes to FILE
//	keep:FILE      from now on write what stdin brings to FILE; kept waits for its end
//	ledger:FILE    from now on keep the number of bytes written to stdout in FILE
//	echo           write every line of stdin back, to its end
//	sleep:TIME     wait, as in 50ms
//	stall          wait forever
//	closein, closeout, closeerr
//	fork:SCRIPT    start a peer that holds our streams; its words are separated by commas
//	daemon:SCRIPT  the same in a session of its own; on Windows outside of our job
//	ignore:SIGNAL  HUP, INT, TERM, ...
//	on:SIGNAL=TEXT from now on send TEXT when it comes
//	await:SIGNAL   wait until it has come since its on, or since the last await
//	parent:SIGNAL  send it to the process that started this one
//	stop           stop this process as SIGSTOP does
//	mark:FILE      make FILE; wait:FILE waits until it is there
//	pid:FILE       write this process's id to FILE; ppid:FILE that of its parent
//	args           write the rest of the arguments as Go strings, and end
//	env:NAME       send the value of a variable
//	status:NAME    send a line of /proc/self/status
//	group          send "own group" or "not its own group"
//	exit:N         end with that status; kill:SIGNAL by that signal
//
// Windows has no signals and what goes with them.
//
// TEXT may have the escapes of a Go string. The end of the arguments is exit:0.
type testPeer struct {
	in   *bufio.Reader
	came map[syscall.Signal]chan struct{} // the signals that on has caught
	kept chan error                       // when keep has ended

	ledger  *os.File
	written int
}

func (p *testPeer) do(word, arg string) error {
	switch word {
	case "send":
		return p.write(unescaped(arg) + "\n")
	case "half":
		return p.write(unescaped(arg))
	case "ledger":
		var err error
		p.ledger, err = os.Create(arg)
		return err
	case "keep":
		f, err := os.Create(arg)
		p.kept = make(chan error, 1)
		go func() {
			_, err := io.Copy(f, os.Stdin)
			p.kept <- err
		}()
		return err
	case "kept":
		return <-p.kept
	case "drip":
		for _, b := range []byte(unescaped(arg) + "\n") {
			if err := p.write(string(b)); err != nil {
				return err
			}
			time.Sleep(2 * time.Millisecond)
		}
	case "err":
		return writeString(os.Stderr, unescaped(arg)+"\n")
	case "flood":
		return p.flood(peerOutput(p.write), arg, "\n")
	case "play":
		return p.play(arg)
	case "mute":
		return p.flood(os.Stderr, arg, "")
	case "recv":
		line, err := p.in.ReadString('\n')
		if want := unescaped(arg); err == nil && want != "" && strings.TrimRight(line, "\r\n") != want {
			return fmt.Errorf("got %q", line)
		}
		return err
	case "until":
		want := unescaped(arg)
		for {
			line, err := p.in.ReadString('\n')
			if err != nil || strings.TrimRight(line, "\r\n") == want {
				return err
			}
		}
	case "eof":
		_, err := io.Copy(io.Discard, p.in)
		return err
	case "sum":
		h := sha256.New()
		n, err := io.Copy(h, p.in)
		if err != nil {
			return err
		}
		return os.WriteFile(arg, fmt.Appendf(nil, "%d %x\n", n, h.Sum(nil)), 0o600)
	case "echo":
		_, err := io.Copy(os.Stdout, p.in)
		return err
	case "sleep":
		d, err := time.ParseDuration(arg)
		time.Sleep(d)
		return err
	case "stall":
		for {
			time.Sleep(time.Hour)
		}
	case "closein":
		return os.Stdin.Close()
	case "closeout":
		return os.Stdout.Close()
	case "closeerr":
		return os.Stderr.Close()
	case "fork", "daemon":
		return p.fork(arg, word == "daemon")
	case "mark":
		return os.WriteFile(arg, nil, 0o600)
	case "pid":
		return p.writePID(os.Getpid(), arg)
	case "ppid":
		return p.writePID(os.Getppid(), arg)
	case "wait":
		for {
			if _, err := os.Stat(arg); err == nil {
				return nil
			}
			time.Sleep(time.Millisecond)
		}
	case "env":
		return writeString(os.Stdout, os.Getenv(arg)+"\n")
	case "status":
		return p.status(arg)
	default:
		return p.signals(word, arg)
	}
	return nil
}

// write writes to stdout, and then to the ledger.
func (p *testPeer) write(s string) error {
	n, err := os.Stdout.WriteString(s)
	p.written += n
	if p.ledger != nil {
		p.ledger.WriteAt(fmt.Appendf(nil, "%12d", p.written), 0)
	}
	return err
}

// writePID writes a process id to a file. Who waits for the file finds it whole.
func (p *testPeer) writePID(pid int, file string) error {
	if err := os.WriteFile(file+".new", fmt.Appendf(nil, "%d", pid), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

type peerOutput func(string) error

func (w peerOutput) Write(b []byte) (int, error) { return len(b), w(string(b)) }

func writeString(f *os.File, s string) error {
	_, err := f.WriteString(s)
	return err
}

// unescaped undoes the escapes of an argument, if they are right.
func unescaped(arg string) string {
	if s, err := strconv.Unquote(`"` + strings.ReplaceAll(arg, `"`, `\"`) + `"`); err == nil {
		return s
	}
	return arg
}

// peerLine is line i of a flood, with its newline.
func peerLine(i, size int, end string) []byte {
	b := fmt.Appendf(nil, `{"n":%d,"x":"`, i)
	b = append(b, bytes.Repeat([]byte("x"), max(0, size-len(b)-2-len(end)))...)
	return append(append(b, `"}`...), end...)
}

func (p *testPeer) flood(f io.Writer, arg, end string) error {
	var n, size int
	if _, err := fmt.Sscanf(arg, "%dx%d", &n, &size); err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 64<<10)
	for i := range n {
		if _, err := w.Write(peerLine(i, size, end)); err != nil {
			return err
		}
	}
	return w.Flush()
}

// fork starts a peer on our streams and does not wait for it.
func (p *testPeer) fork(script string, session bool) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.Command(exe, strings.Split(script, ",")...)
	c.Args[0] = os.Args[0] // a test binary tells its commands by name
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if session {
		c.SysProcAttr = ownSession()
	}
	return c.Start()
}

func (p *testPeer) status(name string) error {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, name+":") {
			return writeString(os.Stdout, line)
		}
	}
	return fmt.Errorf("no such line")
}

func (p *testPeer) play(arg string) error {
	times, file, _ := strings.Cut(arg, "x")
	n, err := strconv.Atoi(times)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	for i := 0; i < n && err == nil; i++ {
		err = p.write(strings.ReplaceAll(string(text), "{n}", strconv.Itoa(i)))
	}
	return err
}
