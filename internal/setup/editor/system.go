package editor

import "strings"

// A System describes the machine on which settings are searched.
type System struct {
	OS      string // as runtime.GOOS
	Home    string // the user's folder
	Config  string // $XDG_CONFIG_HOME; "" is its default
	AppData string // %APPDATA%; "" is its default
}

// join joins the elements of a path with that system's separator.
func (s System) join(elements ...string) string {
	separator := "/"
	if s.OS == "windows" {
		separator = `\`
	}
	return strings.Join(elements, separator)
}

// xdg returns the folder for settings of programs that follow the XDG specification. On macOS it is
// always ~/.config.
func (s System) xdg() string {
	if s.Config != "" && s.OS != "darwin" {
		return s.Config
	}
	return s.join(s.Home, ".config")
}

// Flatpaks of editors.
const (
	ZedApp      = "dev.zed.Zed"
	ObsidianApp = "md.obsidian.Obsidian"
)

// InFlatpak returns the system as the Flatpak of that id sees it; ok is false where there is no
// Flatpak.
func (s System) InFlatpak(app string) (boxed System, ok bool) {
	boxed = s
	boxed.Config = s.join(s.Home, ".var", "app", app, "config")
	return boxed, app != "" && s.OS != "darwin" && s.OS != "windows"
}

// own returns the usual folder for settings on the system.
func (s System) own() string {
	switch {
	case s.OS == "darwin":
		return s.join(s.Home, "Library", "Application Support")
	case s.OS != "windows":
		return s.xdg()
	case s.AppData != "":
		return s.AppData
	}
	return s.join(s.Home, "AppData", "Roaming")
}
