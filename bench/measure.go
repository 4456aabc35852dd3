package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A measurement is a row of the table, or several.
type measurement struct {
	name string
	run  func(setup) (figures, error)
	once bool // one round is enough
}

// figures are what a measurement of one setup found, for rows of these names.
type figures []figure

type figure struct {
	name  string
	value float64
}

var measurements = []measurement{
	{name: "start-up", run: startUp},
	{name: "round trip", run: during(roundTrip)},
	{name: "250 B", run: during(throughput("250 B", 400_000, 250))},
	{name: "8 KB", run: during(throughput("8 KB", 25_000, 8<<10))},
	{name: "1 MiB", run: during(throughput("1 MiB", 200, 1<<20))},
	{name: "100 MB line", run: during(longLine)},
	{name: "a million", run: during(million), once: true},
	{name: "stalled", run: during(stalled), once: true},
}

// during measures a session while a prompt is under way.
func during(measure func(*session) (figures, error)) func(setup) (figures, error) {
	return func(s setup) (figures, error) {
		c, err := open(s)
		if err != nil {
			return nil, err
		}
		f, err := measure(c)
		return f, errors.Join(err, c.close())
	}
}

// startUp measures how long it takes from the start of the processes to the first response.
func startUp(s setup) (figures, error) {
	var times []float64
	for range 5 {
		begin := time.Now()
		c, err := start(s)
		if err != nil {
			return nil, err
		}
		if err := c.call(initialize); err != nil {
			return nil, err
		}
		times = append(times, ms(begin))
		if err := c.close(); err != nil {
			return nil, err
		}
	}
	return figures{{"start-up, ms", median(times)}}, nil
}

// roundTrip measures a request and its response.
func roundTrip(c *session) (figures, error) {
	ping := `{"jsonrpc":"2.0","id":7,"method":"_bench/ping","params":{"sessionId":"s","x":"` + strings.Repeat("x", 120) + `"}}`
	var times []float64
	for i := range 3000 {
		begin := time.Now()
		if err := c.call(ping); err != nil {
			return nil, err
		}
		if i >= 500 {
			times = append(times, 1000*ms(begin))
		}
	}
	slices.Sort(times)
	return figures{{"round trip p50, µs", times[len(times)/2]}, {"round trip p99, µs", times[len(times)*99/100]}}, nil
}

// throughput measures a flood of messages.
func throughput(name string, count, size int) func(*session) (figures, error) {
	return func(c *session) (figures, error) {
		seconds, bytes, err := c.flood(count, size)
		return figures{{name + ", MB/s", float64(bytes) / seconds / 1e6}, {name + ", messages/s", float64(count) / seconds}}, err
	}
}

// longLine measures one line that is far longer than what is held.
func longLine(c *session) (figures, error) {
	seconds, _, err := c.flood(1, 100_000_000)
	return figures{{"100 MB line, ms", 1000 * seconds}, {"100 MB line, RSS in MB", c.peak()}}, err
}

// million measures what a million messages cost.
func million(c *session) (figures, error) {
	before := c.cpu()
	_, _, err := c.flood(1_000_000, 250)
	return figures{{"a million of 250 B, CPU s", c.cpu() - before}, {"a million of 250 B, RSS in MB", c.peak()}}, err
}

// stalled: the client reads nothing for five seconds while the agent has 130 MB
// to send, then all of it.
func stalled(c *session) (figures, error) {
	if err := c.send(`{"flood":[130000,1000,false]}`); err != nil {
		return nil, err
	}
	time.Sleep(5 * time.Second)
	f := figures{{"stalled before 130 MB, RSS in MB", c.peak()}}
	if n, err := c.drain(); err != nil || n != 130_000*len(message(1000)) {
		return nil, fmt.Errorf("%d bytes came: %w", n, err)
	}
	return f, nil
}

// flood has the agent send, and returns how long it took and what came.
func (c *session) flood(count, size int) (seconds float64, bytes int, err error) {
	begin := time.Now()
	if err := c.send(fmt.Sprintf(`{"flood":[%d,%d,%t]}`, count, size, c.plans)); err != nil {
		return 0, 0, err
	}
	bytes, err = c.drain()
	if want := count * len(message(size)); err == nil && !c.plans && bytes != want {
		err = fmt.Errorf("%d bytes came in place of %d", bytes, want)
	}
	return time.Since(begin).Seconds(), bytes, err
}

// cpu is the processor time of the process that was started, in seconds: what is in the middle, or
// the agent itself.
func (c *session) cpu() float64 {
	fields := c.after("stat", ") ")
	return (number(fields[11]) + number(fields[12])) / 100
}

// peak is the largest resident set of that process, in MB.
func (c *session) peak() float64 { return number(c.after("status", "VmHWM:")[0]) / 1000 }

// after returns the fields behind a text in what Linux says of the process.
func (c *session) after(file, text string) []string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", c.process.Process.Pid, file))
	_, fields, _ := strings.Cut(string(b), text)
	return append(strings.Fields(fields), make([]string, 13)...) // elsewhere they are empty
}

func number(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64)
	return n
}

func ms(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}
