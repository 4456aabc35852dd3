package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// floodEnd is the line that ends a flood and the turn. It is the response to the prompt, because
// acpshim sends a delayed large plan before that response.
const floodEnd = `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}` + "\n"

// playAgent plays an agent that responds to every line at once, and sends a flood for the line
// {"flood":[COUNT,SIZE,PLANS]}. It speaks one version of the protocol.
func playAgent(version string) error {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadSlice('\n')
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var count, size, plans int
		switch {
		case bytes.Contains(line, []byte(`"id":7,"method":"session/`)):
			_, err = os.Stdout.WriteString(`{"jsonrpc":"2.0","id":7,"result":{"stopReason":"end_turn"}}` + "\n")
		case bytes.Contains(line, []byte(`"method":"session/prompt"`)):
			// The prompt stays pending.
		case bytes.Contains(line, []byte(`"method":"initialize"`)) && !bytes.Contains(line, []byte(`"protocolVersion":`+version)):
			_, err = os.Stdout.WriteString(`{"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":[2]}}}` + "\n")
		case bytes.Contains(line, []byte(`"method":"initialize"`)):
			_, err = os.Stdout.WriteString(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":` + version + `,"capabilities":{"session":{}}}}` + "\n")
		case bytes.Contains(line, []byte(`"method":"session/new"`)):
			_, err = os.Stdout.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","modes":{"currentModeId":"code","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}}}` + "\n")
		case scan(line, &count, &size, &plans):
			err = flood(count, size, plans == 1)
		default:
			_, err = os.Stdout.Write(line) // a ping: a message like any other
		}
		if err != nil {
			return err
		}
	}
}

// scan reads a request for a flood.
func scan(line []byte, count, size, plans *int) bool {
	n, _ := fmt.Sscanf(string(line), `{"flood":[%d,%d,%d]}`, count, size, plans)
	return n == 3
}

// message returns a message of an agent of about that size. Its text has as many escapes as
// recorded conversations: 31 line breaks and almost no quotes in a thousand bytes.
func message(size int) []byte {
	head := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`
	tail := `"}}}}` + "\n"
	line := `Next I look at where the plan\nis drawn: view.go:12, and at\nwhat calls it: nobody so far.\n`
	page := strings.Repeat(line, 9) + `The name \"draw\" is taken:\nit may be shown, or so.\n`
	n := max(1, size-len(head)-len(tail))
	text := strings.Repeat(page, n/len(page))
	text += strings.Repeat(line, (n-len(text))/len(line))
	return []byte(head + text + strings.Repeat(".", n-len(text)) + tail)
}

// plan returns a plan update of about that size. n makes it differ from the others.
func plan(size, n int) []byte {
	head := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"step %d","priority":"medium","status":"pending"}`, n)
	tail := `]}}}}` + "\n"
	b := []byte(head)
	entry := []byte(`,{"content":"one more of the steps to take","priority":"medium","status":"pending"}`)
	for len(b)+len(entry)+len(tail) < size {
		b = append(b, entry...)
	}
	return append(b, tail...)
}

// flood sends count messages. It writes them in blocks, because the agent is not measured.
func flood(count, size int, plans bool) error {
	w := bufio.NewWriterSize(os.Stdout, 256<<10)
	line := message(size)
	for i := range count {
		if plans && i%10 == 9 {
			w.Write(plan(size, i))
		} else if _, err := w.Write(line); err != nil {
			return err
		}
	}
	w.WriteString(floodEnd)
	return w.Flush()
}

// bareRelay only copies in both directions, as the cheapest relay in Go. If file is not "", another
// goroutine writes a copy of what the client gets to it, as the cheapest record.
func bareRelay(file string, command []string) error {
	c := exec.Command(command[0], command[1:]...)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	go func() {
		io.Copy(in, os.Stdin)
		in.Close()
	}()
	if file == "" {
		_, err = io.Copy(os.Stdout, out)
	} else {
		err = copyTwice(file, out)
	}
	return errors.Join(err, c.Wait())
}

// copyTwice copies to standard output, and with a delay to a file.
func copyTwice(file string, from io.Reader) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	const blocks = 64
	full, empty, failed := make(chan []byte, blocks), make(chan []byte, blocks), make(chan error, 1)
	for range blocks {
		empty <- make([]byte, 256<<10)
	}
	go func() {
		var err error
		for b := range full {
			_, werr := f.Write(b)
			err = errors.Join(err, werr)
			empty <- b[:cap(b)]
		}
		failed <- err
	}()
	for err == nil {
		b := <-empty
		n, rerr := from.Read(b)
		_, err = os.Stdout.Write(b[:n])
		full <- b[:n]
		err = cmp.Or(err, rerr)
	}
	close(full)
	if err == io.EOF {
		err = nil
	}
	return errors.Join(err, <-failed)
}
