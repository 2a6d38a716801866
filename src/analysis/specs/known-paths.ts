const SECRET = [
  /\/\.env(\.(?!example$|sample$|template$|dist$)[^/]*)?$/,
  /\/\.(netrc|pgpass|git-credentials|npmrc|pypirc|my\.cnf|vault-token)$/,
  /\/\.ssh\/(?!known_hosts|config|authorized_keys)[^/]*(?<!\.pub)$/,
  /\/\.(aws|azure|gnupg)(\/|$)/,
  /\/\.config\/(gh\/hosts\.yml|gcloud(\/|$))/,
  /\/\.(kube|docker)\/config(\.json)?$/,
  /\/(id_(rsa|dsa|ecdsa|ed25519)|credentials|[^/]*\.(key|p12|pfx|kdbx)|[^/]*(key|priv)[^/]*\.pem)$/,
  /^\/etc\/(shadow|gshadow|sudoers)/,
  /^\/proc\/([^/]+)\/(environ|mem|maps|fd|root)(\/|$)/,
];

/** Files that usually hold keys, tokens or passwords. Case is ignored: some file systems do. */
export const isSecret = (path: string): boolean => SECRET.some(pattern => pattern.test(path.toLowerCase()));

const AT_LOGIN = [
  /\/\.(bash(rc|_profile|_login|_logout|_aliases)|profile|z(shrc|shenv|profile|login|logout)|inputrc|xprofile|xinitrc|xsession)$/,
  /\/\.config\/(autostart|systemd|fish)(\/|$)/,
  /\/\.ssh\/(authorized_keys|config|rc)$/,
  /\/\.git\/hooks(\/|$)/,
  /\/Library\/Launch(Agents|Daemons)(\/|$)/,
];
const AT_BOOT =
  /^\/(etc\/(cron|profile|bash\.bashrc|zsh|systemd|init|rc|ld\.so|environment|pam\.d|sudoers|udev|xdg\/autostart)|(usr\/)?lib\/systemd|var\/spool\/(cron|at))/;

/** Files that make something run later, without being asked for again. */
export const survivesLogin = (path: string, home: string): boolean =>
  AT_BOOT.test(path) || AT_LOGIN.some(pattern => pattern.test(path)) || path === `${home}/.pam_environment`;

const TOP_LEVEL = /^\/[^/]*$/;

/** The root, a directory directly below it, somebody's home, or everything in one of them. */
export function isRootLike(path: string, home: string): boolean {
  const base = path.replace(/\/\*\*$/, '') || '/';
  return TOP_LEVEL.test(base) || base === home || /^\/(home|Users)\/[^/]+$/.test(base);
}
