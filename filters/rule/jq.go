package rule

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/itchyny/gojq"
)

// Limits of the rules for one line.
const (
	maxTime     = 100 * time.Millisecond
	maxBytes    = 16 << 20
	maxMessages = 1 << 12
	maxInput    = 4 << 20  // bytes of a message
	maxDecoded  = 32 << 20 // bytes of its values, estimated

	maxProgram = 64 << 10 // bytes; nesting in a program is a recursion
	maxNesting = 10_000   // of a result, for the same reason
	maxRunning = 8        // runs of one program at a time
)

// A program is a jq program. It may run for several lines at the same time.
type program struct {
	code    *gojq.Code
	running atomic.Int32 // including runs that were given up and have not returned
}

// newProgram compiles a program. The program has no files, no environment, and no input except its
// message.
func newProgram(text string) (*program, error) {
	if len(text) > maxProgram {
		return nil, fmt.Errorf("it is longer than %d KiB", maxProgram>>10)
	}
	query, err := gojq.Parse(text)
	if err != nil {
		return nil, err
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, err
	}
	return &program{code: code}, nil
}

var (
	errSlow  = fmt.Errorf("it takes longer than %v a line", maxTime)
	errBusy  = fmt.Errorf("it was not started: it is still running for %d earlier lines", maxRunning)
	errMany  = fmt.Errorf("it makes more than %d messages of a line", maxMessages)
	errInput = fmt.Errorf("the message is larger than %d MiB, or %d MiB as values", maxInput>>20, maxDecoded>>20)
	errLarge = fmt.Errorf("it makes more than %d MiB of a line, or nests them too deep", maxBytes>>20)
)

// An allowance is what the rules may still use for one line.
type allowance struct {
	until    time.Time // the deadline of all programs; zero before the first one
	ctx      context.Context
	bytes    int
	messages int
}

// run returns the values that the program makes of a line, each on one line, and takes them from
// the allowance. It returns at the allowance's deadline at the latest. The program itself may run
// longer, because gojq checks the deadline only between two steps. At most maxRunning do. It may be
// called from any goroutine.
func (p *program) run(line []byte, a *allowance) ([][]byte, error) {
	if len(line) > maxInput || decodedSize(line) > maxDecoded {
		return nil, errInput
	}
	input, err := decode(line)
	if err != nil {
		return nil, err
	}
	type result struct {
		values [][]byte
		err    error
	}
	done := make(chan result, 1)
	limit := *a
	if p.running.Add(1) > maxRunning {
		p.running.Add(-1)
		return nil, errBusy
	}
	go func() {
		defer p.running.Add(-1)
		defer func() {
			if reason := recover(); reason != nil {
				done <- result{nil, fmt.Errorf("it panicked: %v", reason)}
			}
		}()
		values, err := p.values(limit, input)
		done <- result{values, err}
	}()
	select {
	case r := <-done:
		for _, v := range r.values {
			a.bytes -= len(v)
			a.messages--
		}
		if errors.Is(r.err, context.DeadlineExceeded) {
			r.err = errSlow
		}
		return r.values, r.err
	case <-a.ctx.Done():
		return nil, errSlow
	}
}

// decodedSize estimates the size of a line's values as Go values. Commas and brackets in strings
// count, too.
func decodedSize(line []byte) int {
	const value, container = 32, 64
	return len(line) + value*bytes.Count(line, []byte(",")) + container*(bytes.Count(line, []byte("{"))+bytes.Count(line, []byte("[")))
}

func (p *program) values(a allowance, input any) ([][]byte, error) {
	var values [][]byte
	for iter := p.code.RunWithContext(a.ctx, input); ; {
		v, ok := iter.Next()
		if !ok {
			return values, nil
		}
		if err, ok := v.(error); ok {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				return values, nil
			}
			return nil, err
		}
		if room := a.bytes; !fits(v, &room, maxNesting) {
			return nil, errLarge
		}
		b, err := gojq.Marshal(v)
		if err != nil {
			return nil, err
		}
		if a.bytes -= len(b); a.bytes < 0 {
			return nil, errLarge
		}
		if a.messages--; a.messages < 0 {
			return nil, errMany
		}
		values = append(values, b)
	}
}

// fits takes from room the bytes that a value needs at least as JSON, and reports whether there was
// room. It stops early: a small program can make a value that holds another a million times.
func fits(v any, room *int, depth int) bool {
	if *room -= 2; *room < 0 || depth < 0 {
		return false
	}
	switch v := v.(type) {
	case string:
		*room -= len(v)
	case []any:
		for _, element := range v {
			if !fits(element, room, depth-1) {
				return false
			}
		}
	case map[string]any:
		for name, value := range v {
			*room -= len(name)
			if !fits(value, room, depth-1) {
				return false
			}
		}
	case json.Number:
		*room -= len(v) - 2
	case int:
		*room++
	}
	return *room >= 0
}

// decode decodes a line for gojq. Numbers keep their spelling. A duplicate name is an error,
// because one of the two would be lost.
func decode(line []byte) (any, error) {
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	unique, err := jsontext.NewDecoder(bytes.NewBuffer(line), jsontext.AllowInvalidUTF8(true)).ReadValue()
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(unique))
	d.UseNumber()
	var v any
	err = d.Decode(&v)
	return v, err
}
