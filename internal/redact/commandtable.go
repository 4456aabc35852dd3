package redact

import (
	"cmp"
	"strings"
	"sync"
)

// commandTable are programs that take secrets as arguments. Flags are an expression for what stands
// before the secret in a flag and the argument behind it, words one for what stands before it in
// all arguments from the first on. In both a space is the end of an argument, "_" a word, "!" the
// name of a secret, "…" the rest of an argument, and "~" a space with flags in it. A flag that is
// named like a secret needs no rule.
var commandTable = []struct{ names, flags, words string }{
	{"curl", `(?:-[uUE] ?|--(?:(?:proxy-)?user|cert)[ =])[^: ]*:|-b ?[^= ]+=|--pass=`, ``},
	{"wget http https xh httpie aria2c lynx etcdctl", `(?:-[auU] ?|--(?:auth|(?:proxy-)?user)[ =])[^: ]*:`, ``},
	{"mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb mariadb-dump mariadb-admin mycli", `-p`, ``},
	{"7z 7za 7zr rar unrar", `-h?p`, ``},
	{"plink pscp psftp putty", `-pw[ =]`, ``},
	{"mongo mongosh mongodump mongorestore mongoexport mongoimport az sshpass cqlsh cypher-shell rdesktop influx lpass vncviewer tsm clickhouse-client clickhouse snowsql bteq arangosh useradd usermod adduser psexec psexec64 wmic nxc crackmapexec evil-winrm xfreerdp xfreerdp3 wfreerdp mstsc cmdkey", `-p ?|--account-key[ =]|/p(?:ass(?:word)?)?[ :=]`, ``},
	{"sqlcmd bcp isql osql tsql zip unzip ipmitool mosquitto_pub mosquitto_sub", `-P ?|--pw[ =]`, ``},
	{"snmpwalk snmpget snmpset snmpbulkwalk snmptable", `-[AXc] ?`, ``},
	{"redis-cli redis-benchmark valkey-cli keydb-cli", `-a ?|--pass=`, ` (?:auth|AUTH)~`},
	{"ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd ldapcompare ldapmodrdn", `-[ws] ?`, ``},
	{"smbmap", `-p ?`, ``},
	{"smbclient rpcclient smbget winexe nmblookup smbcacls lftp", `(?:-U ?|--user[ =])[^% ]*%|-u ?[^, ]*,`, ``},
	{"openssl", `-pass(?:in|out)?[ =]pass:|-[kK] ?`, ``},
	{"keytool jarsigner apksigner doctl vercel netlify", `-(?:new[ =]|t[ =]?)`, ``},
	{"htpasswd", ``, `^~-…nb…~_~|^~-…b…~_~_~`},
	{"aws npm yarn pnpm git composer gcloud pip poetry bundle heroku", ``, `^~(?:configure~set~|config~set~|config~)!~|^~auth:token~`},
	{"setx setenv SetEnv", ``, `^~!~`},
	{"set", ``, `^ -…x…~!~`},
	{"docker podman nerdctl helm buildah skopeo oras crane regctl buildx oc cf twine", ``, ` (?:login|upload) (?:.* )?-p ?| login (?:.* )?-u ?[^: ]*:|^~auth~_~`},
	{"net rabbitmqctl", ``, `^~(?:(?:add|change|authenticate).)?(?:user|password)~_~|^ use (?:_ )?\\… `},
	{"wpa_passphrase", ``, `^~_~`},
	{"vault cargo wandb doppler", ``, `^~login~`},
	{"snyk ngrok cloudflared", ``, `^~(?:auth|(?:config~add-)?authtoken|config~add-authtoken|service~install)~`},
	{"gh security", ``, ` secret set .* -b ?|^~(?:add-…-password .*-w ?|unlock-keychain .*-p ?|set-keychain-password~)`},
	{"svn nmcli kinit gpg gpg2 htdigest chpasswd ansible ansible-playbook", ``, ``},
}

// A command is what is known of a program: expressions for what stands before a secret.
type command struct{ flags, words expression }

// commands are those of the table by the names of the programs.
var commands = sync.OnceValue(func() map[string]*command {
	all := make(map[string]*command)
	signs := strings.NewReplacer(" ", `\x00`, "…", `[^\x00]*`, "~", `\x00(?:-[^\x00]*\x00)*`,
		"_", `[^\x00-][^\x00]*`, "!", `([^\x00-][^\x00]*)`)
	for _, row := range commandTable {
		c := &command{
			flags: lazily(signs.Replace("(?s)^(?:… )?(?:" + cmp.Or(row.flags, `^\z.`) + ")")),
			words: lazily(signs.Replace("(?s)" + cmp.Or(row.words, `^\z.`))),
		}
		for name := range strings.FieldsSeq(row.names) {
			all[name] = c
		}
	}
	return all
})
