extension Environment {
  /// Whether the process runs in a container.
  func isContainer(_ files: MachineFiles) -> Bool {
    // systemd and Podman set the first variable, Kubernetes the second.
    if self["container"] != nil || self["KUBERNETES_SERVICE_HOST"] != nil { return true }
    if files.exists("/.dockerenv") || files.exists("/run/.containerenv") { return true }
    // The control group of process 1 is named after the container, unless a namespace hides its name.
    let group = files.content("/proc/1/cgroup") ?? ""
    return ["/docker", "/kubepods", "/lxc", "/libpod", "containerd"].contains { group.contains($0) }
  }

  /// Whether this is WSL. A container on a Windows machine counts as WSL only if the variables of WSL were passed to
  /// it, because it cannot start the Windows browser without them.
  func isWSL(_ files: MachineFiles) -> Bool {
    if self["WSL_DISTRO_NAME"] != nil || self["WSL_INTEROP"] != nil { return true }
    if self.isContainer(files) { return false }
    return files.content("/proc/version")?.lowercased().contains("microsoft") ?? false
  }
}
