# Two hosts of one job in namespaces of their own, on a network of two: each with a name, an address, and a folder of its own.
# Run by `unshare` in the folder of the program train.py, with Python's path and that of a library that moves a clock.
set -e
export python=$1 clock=$2

# Its name, its address, and the environment of its rank: its agent of torchrun, which all agents meet at the first host.
# The agent has the machine's clock: agents tell by it which of them still live.
host() {
    local name=$1 address=$2
    shift 2
    "$python" -c "import socket, sys; socket.sethostname(sys.argv[1])" "$name"
    ip link set lo up
    ip addr add "$address/24" dev wire
    ip link set wire up
    GLOO_SOCKET_IFNAME=wire "$python" -m torch.distributed.run --nnodes 2 --nproc-per-node 1 --rdzv-id job \
        --rdzv-backend c10d --rdzv-endpoint 10.77.0.1:29500 --local-addr "$address" --no-python \
        env "$@" "$python" -m dynamo_lab.record --profile --folder "$name" train.py
}
export -f host

printf '127.0.0.1 localhost\n10.77.0.1 host-a\n10.77.0.2 host-b\n' > hosts
mount --bind hosts /etc/hosts
mount --bind /dev/null /etc/resolv.conf # there is nobody to ask for other names
mkfifo made linked
unshare --net --uts bash -c 'echo > made; read -r < linked; host host-b 10.77.0.2 LD_PRELOAD=$clock CLOCK_AHEAD=3600' &
other=$!
read -r < made
ip link add wire type veth peer name wire netns "$other"
echo > linked
host host-a 10.77.0.1
wait "$other"
