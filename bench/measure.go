package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"acpshim/internal/chain/acp"
)

// A measurement fills one or several rows of the table.
type measurement struct {
	name string
	run  func(setup) (figures, error)
	once bool // one round is enough
}

// figures holds the results of a measurement of one setup, by the names of rows.
type figures map[string]float64

var measurements = []measurement{
	{name: "start-up", run: startUp},
	{name: "round trip", run: roundTrip("round trip", "_bench/ping", `"x":"`+strings.Repeat("x", 120)+`"`)},
	{name: "set_mode", run: roundTrip("set_mode", acp.SessionSetMode, `"modeId":"code"`)},
	{name: "prompt", run: roundTrip("prompt", acp.SessionPrompt, `"prompt":[{"type":"text","text":"go on"}]`)},
	{name: "250 B", run: throughput("250 B", 400_000, 250)},
	{name: "8 KB", run: throughput("8 KB", 25_000, 8<<10)},
	{name: "1 MiB", run: throughput("1 MiB", 200, 1<<20)},
	{name: "100 MB line", run: longLine},
	{name: "a million", run: million, once: true},
	{name: "stalled", run: stalled, once: true},
}

// startUp measures the time from the start of the processes to the first response.
func startUp(s setup) (figures, error) {
	var times []float64
	for range 5 {
		begin := time.Now()
		c, err := start(s)
		if err != nil {
			return nil, err
		}
		if _, err := c.call(initialize(s)); err != nil {
			return nil, err
		}
		times = append(times, ms(begin))
		if err := c.close(); err != nil {
			return nil, err
		}
	}
	return figures{"start-up, ms": median(times)}, nil
}

// roundTrip measures a request and its response while a prompt is pending.
func roundTrip(name, method, params string) func(setup) (figures, error) {
	return func(s setup) (figures, error) {
		c, err := open(s)
		if err != nil {
			return nil, err
		}
		request := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{"sessionId":"s",%s}}`, method, params)
		var times []float64
		for i := range 3000 {
			begin := time.Now()
			if _, err := c.call(request); err != nil {
				return nil, err
			}
			if i >= 500 {
				times = append(times, float64(time.Since(begin).Nanoseconds())/1000)
			}
		}
		slices.Sort(times)
		return figures{name + " p50, µs": times[len(times)/2], name + " p99, µs": times[len(times)*99/100]}, c.close()
	}
}

// throughput measures a flood of messages.
func throughput(name string, count, size int) func(setup) (figures, error) {
	return func(s setup) (figures, error) {
		c, err := open(s)
		if err != nil {
			return nil, err
		}
		seconds, bytes, err := c.flood(count, size, s.plans)
		if err != nil {
			return nil, err
		}
		return figures{name + ", MB/s": float64(bytes) / seconds / 1e6, name + ", messages/s": float64(count) / seconds}, c.close()
	}
}

// longLine measures one line that is far longer than acpshim holds.
func longLine(s setup) (figures, error) {
	c, err := open(s)
	if err != nil {
		return nil, err
	}
	seconds, _, err := c.flood(1, 100_000_000, s.plans)
	if err != nil {
		return nil, err
	}
	return figures{"100 MB line, ms": 1000 * seconds, "100 MB line, RSS in MB": c.peak()}, c.close()
}

// million measures what a million messages cost.
func million(s setup) (figures, error) {
	c, err := open(s)
	if err != nil {
		return nil, err
	}
	before := c.cpu()
	if _, _, err := c.flood(1_000_000, 250, s.plans); err != nil {
		return nil, err
	}
	return figures{"a million of 250 B, CPU s": c.cpu() - before, "a million of 250 B, RSS in MB": c.peak()}, c.close()
}

// stalled measures a client that reads nothing for five seconds while the agent sends 130 MB.
func stalled(s setup) (figures, error) {
	c, err := open(s)
	if err != nil {
		return nil, err
	}
	if err := c.send(`{"flood":[130000,1000,0]}`); err != nil {
		return nil, err
	}
	time.Sleep(5 * time.Second)
	f := figures{"stalled before 130 MB, RSS in MB": c.peak()}
	if n, err := c.drain(); err != nil || n != 130_000*len(message(1000)) {
		return nil, fmt.Errorf("%d bytes came: %w", n, err)
	}
	return f, c.close()
}

// flood lets the agent send messages, and returns the time and the number of bytes that came.
func (c *session) flood(count, size int, plans bool) (seconds float64, bytes int, err error) {
	flag := 0
	if plans {
		flag = 1
	}
	begin := time.Now()
	if err := c.send(fmt.Sprintf(`{"flood":[%d,%d,%d]}`, count, size, flag)); err != nil {
		return 0, 0, err
	}
	bytes, err = c.drain()
	if want := count * len(message(size)); err == nil && !plans && bytes != want {
		err = fmt.Errorf("%d bytes came in place of %d", bytes, want)
	}
	return time.Since(begin).Seconds(), bytes, err
}

// cpu returns the processor time of the measured processes, in seconds.
func (c *session) cpu() (seconds float64) {
	for _, p := range c.middle {
		if fields := after(p, "stat", ") "); len(fields) > 12 {
			seconds += (figure(fields[11]) + figure(fields[12])) / 100
		}
	}
	return seconds
}

// peak returns the largest resident set of the measured processes, in MB.
func (c *session) peak() (mb float64) {
	for _, p := range c.middle {
		if fields := after(p, "status", "VmHWM:"); len(fields) > 0 {
			mb = max(mb, figure(fields[0])/1000)
		}
	}
	return mb
}

// after returns the fields after a text in a file of /proc about a process.
func after(p *exec.Cmd, file, text string) []string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.Process.Pid, file))
	_, fields, _ := strings.Cut(string(b), text)
	return strings.Fields(fields)
}

func figure(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64)
	return n
}

func ms(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}
