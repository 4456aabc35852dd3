package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/chain/wire"
	"acpshim/internal/run/relay"
	"acpshim/internal/run/remote"
	"acpshim/internal/setup/config"
	"acpshim/internal/text/terminal"
	"acpshim/proxy"
)

// endOfAgent returns the error that pending requests get at the end of a program's output. The
// status is nil if the program still runs.
func endOfAgent(c config.Config, s *proxy.Status, stderr *agentStderr) relay.Ending {
	text := stderr.end(c, s != nil)
	e := relay.Ending{Message: "the agent closed its output before it responded", Data: []byte(`{`)}
	if s != nil {
		e.Message = fmt.Sprintf("the agent %v before it responded", s)
		e.Data = append(dataOf(*s), ',')
	}
	if last := lastLine(text); last != "" {
		e.Message += ": " + last
	}
	e.Data = append(wire.Quote(append(e.Data, `"stderr":`...), text), '}')
	return e
}

// dataOf returns a status as the beginning of an object. A signal is spelled as in the log.
func dataOf(s proxy.Status) []byte {
	if s.Signal != 0 {
		return wire.Quote([]byte(`{"signal":`), s.Signal.String())
	}
	return strconv.AppendInt([]byte(`{"status":`), int64(s.Code), 10)
}

// endOfServer is endOfAgent for a connection. The End is nil if the connection has not ended.
func endOfServer(end *remote.End) relay.Ending {
	if end == nil {
		return relay.Ending{Message: "acpshim: the server closed its output before it responded"}
	}
	return relay.Ending{Message: "acpshim: " + end.Text}
}

// lastLine returns the last line of a text that is not blank, for people, or "".
func lastLine(text string) string {
	for _, line := range slices.Backward(strings.Split(text, "\n")) {
		if line = strings.Trim(terminal.Line(line), "\ufffd \t"); line != "" {
			return terminal.Cut(line, 300)
		}
	}
	return ""
}
