package redact

// commandTable are programs that take secrets as arguments other than behind a flag that is
// named so. Rules are parted by "; ". One with "@" tells arguments by their places, flags
// apart: "@" is the secret, "." any word, "!" the name of a secret, "~b" flags with b among
// them. Others are flags with a secret as their value: with "+" it is joined to the flag,
// with "=" it has that sign in it, with ":", "%" or "," it stands behind the first of these;
// "login>" before flags wants that word among the arguments.
var commandTable = []struct{ names, rules string }{
	{"curl", "-u: --user: -U: --proxy-user: -b= --cookie= -E: --cert:"},
	{"wget http https xh httpie aria2c lynx etcdctl", "-a: --auth: -u: -U: --user: --proxy-user: --http-passwd --ftp-passwd"},
	{"mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb mariadb-dump mariadb-admin mycli 7z 7za 7zr rar unrar", "-p+ -hp+"},
	{"mongo mongosh mongodump mongorestore mongoexport mongoimport az sshpass cqlsh cypher-shell rdesktop influx lpass vncviewer tsm clickhouse-client useradd usermod", "-p --account-key"},
	{"psexec psexec64 wmic nxc crackmapexec evil-winrm xfreerdp xfreerdp3 wfreerdp mstsc cmdkey plink pscp psftp putty", "-pw -p /p /pass"},
	{"sqlcmd bcp isql osql tsql zip unzip ipmitool mosquitto_pub mosquitto_sub", "-P --pw"},
	{"snmpwalk snmpget snmpset snmpbulkwalk snmptable", "-A -X -c"},
	{"redis-cli redis-benchmark valkey-cli keydb-cli", "-a; AUTH @; auth @"},
	{"ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd ldapcompare ldapmodrdn", "-w -s"},
	{"smbclient rpcclient smbget smbmap winexe nmblookup smbcacls", "-U% --user% -p"},
	{"lftp", "-u,"},
	{"openssl", "-passin: -passout: -pass: -k -K"},
	{"keytool jarsigner apksigner", "-storepass -keypass -srcstorepass -deststorepass -new -destkeypass -srckeypass"},
	{"htpasswd", "~b . . @; ~nb . @"},
	{"aws npm yarn pnpm git composer gcloud pip poetry bundle heroku", "configure set ! @; config set ! @; config ! @; auth:token @"},
	{"setx setenv SetEnv", "! @"},
	{"set", "~x ! @"},
	{"docker podman nerdctl helm buildah skopeo oras crane regctl buildx oc cf twine", "login>-p -u:; upload>-p; auth . @"},
	{"net", `user . @; use \ @; use . \ @`},
	{"rabbitmqctl", "add_user . @; change_password . @; authenticate_user . @"},
	{"wpa_passphrase", ". @"},
	{"vault cargo wandb doppler snyk ngrok cloudflared", "login @; auth @; authtoken @; config add-authtoken @; service install @"},
	{"gh doctl vercel netlify", "-t; secret set . ~b @"},
	{"security", "add-generic-password>-w; add-internet-password>-w; unlock-keychain>-p; set-keychain-password @"},
}
