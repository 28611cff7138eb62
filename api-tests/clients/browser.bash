# Installs what drives a browser, for a script that sources this file.
#
# Sets CLIENTS, the directory for installed clients; VENV, the folder of the driver; and
# AXE_SCRIPT, the script of axe-core. aiosmtpd gets the emails that the server sends.

readonly PLAYWRIGHT=1.65.2
readonly AIOSMTPD=1.4.6
# Version of axe-core, from npm.
readonly AXE=4.14.1
readonly CLIENTS="${SISKIN_CLIENTS_DIR:-${TMPDIR:-/tmp}/siskin-clients-$(id -u)}"
readonly VENV="$CLIENTS/browser-$PLAYWRIGHT-$AXE-$AIOSMTPD"
readonly AXE_SCRIPT="$VENV/axe/node_modules/axe-core/axe.min.js"

# Installs the driver alone: the browser of the machine is used.
install_driver() {
    [ -e "$VENV/complete" ] && return
    rm -rf "$VENV"
    mkdir -p "$CLIENTS"
    python3 -m venv "$VENV"
    "$VENV/bin/pip" install --quiet --disable-pip-version-check \
        "playwright==$PLAYWRIGHT" "aiosmtpd==$AIOSMTPD"
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$VENV/axe" "axe-core@$AXE"
    touch "$VENV/complete"
}

browser() {
    command -v chromium || command -v chromium-browser || command -v google-chrome
}

# Prints the link that the server prints after its first line.
setup_link() {
    for _ in $(seq 100); do
        ! grep -o 'http://[^ ]*/setup?token=[^ ]*' "$FOLDER/greeting" || return 0
        sleep 0.1
    done
    return 1
}
