// Package logging writes acpshim's log, for people and for programs.
package logging

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"acpshim/internal/setup/config"
	"acpshim/internal/system/lossy"
	"acpshim/internal/text/terminal"

	"github.com/rs/zerolog"
)

// New returns the log of a configuration: for people on stderr, or if file is not nil, as JSON
// lines in that file. Also gets the JSON lines, too, unless it is nil. Logging never waits for a
// writer, because the reader of stderr may have stopped. CloseLog waits a second for the rest.
func New(c config.Config, file, stderr *os.File, also io.Writer) (log zerolog.Logger, closeLog func()) {
	level, err := zerolog.ParseLevel(c.Log.Level)
	if err != nil {
		level = zerolog.Disabled // "off"
	}
	people := Console(stderr, func(m string) string { return "acpshim: " + m })
	people.NoColor = !terminal.IsTerminal(stderr) || os.Getenv("NO_COLOR") != ""
	var w io.Writer = people
	if file != nil {
		w = file
	}
	queue := lossy.NewWriter(w)
	all := io.Writer(queue)
	if also != nil {
		all = zerolog.MultiLevelWriter(queue, also)
	}
	visible := sink(func(p []byte) { all.Write(terminal.JSON(p)) })
	return zerolog.New(visible).Level(level).With().Timestamp().Logger(), func() { queue.Close(time.Second) }
}

// Beside logs an error that is on stderr already to the other places of the log: to the file,
// unless the log is off, and to also, as for [New].
func Beside(c config.Config, file *os.File, also io.Writer, err error) {
	var to []io.Writer
	if file != nil && c.Log.Level != "off" {
		to = append(to, file)
	}
	if also != nil {
		to = append(to, also)
	}
	all := zerolog.MultiLevelWriter(to...)
	log := zerolog.New(sink(func(p []byte) { all.Write(p) })).With().Timestamp().Logger()
	log.Error().Msg(err.Error())
}

// Console returns a writer that turns JSON lines of a log into lines for people. Message returns
// the text for a message.
func Console(out io.Writer, message func(string) string) zerolog.ConsoleWriter {
	return zerolog.ConsoleWriter{
		Out:           out,
		TimeFormat:    time.TimeOnly,
		FormatMessage: func(m any) string { return terminal.Line(message(fmt.Sprint(m))) },
		FormatPrepare: func(line map[string]any) error {
			for name, value := range line {
				text, ok := value.(string)
				if name == zerolog.MessageFieldName || name == zerolog.TimestampFieldName || name == zerolog.LevelFieldName || !ok {
					continue
				}
				if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
					text = terminal.Quote(text)
				}
				line[name] = json.Number(text) // zerolog writes it unchanged
			}
			return nil
		},
		FormatFieldValue: func(value any) string {
			if b, ok := value.([]byte); ok {
				return string(terminal.JSON(b))
			}
			return fmt.Sprint(value)
		},
	}
}

// A sink is an io.Writer that never fails, because zerolog reports each failure on stderr.
type sink func(p []byte)

func (s sink) Write(p []byte) (int, error) {
	s(p)
	return len(p), nil
}
