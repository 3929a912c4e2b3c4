// Loaded into a measured process before its program: tells the CPU time of the whole process to whoever asks.
process.on('message', () => process.send(process.cpuUsage()))
