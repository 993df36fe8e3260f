internal import CCurl
internal import EventLoop

// The callbacks of libcurl. They run on the loop's thread, within a call to libcurl. They must not
// call libcurl or run code of the transfer's owner: they note the event and wake tasks.

let receiveHeader: curl_write_callback = { bytes, size, count, context in
  let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  guard let transfer = unsafe EasyHandle.at(context).transfer else { return 0 }
  return unsafe transfer.receiveHeader(line) ? line.count : 0
}

let receiveBody: curl_write_callback = { bytes, size, count, context in
  let bytes = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  guard let transfer = unsafe EasyHandle.at(context).transfer else { return 0 }
  return unsafe transfer.receiveBody(bytes) ? bytes.count : catraca_curl_write_pause()
}

let provideBody: curl_read_callback = { buffer, size, count, context in
  let buffer = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
  guard let transfer = unsafe EasyHandle.at(context).transfer else {
    return catraca_curl_read_abort()
  }
  return unsafe transfer.provideBody(buffer) ?? catraca_curl_read_pause()
}

let rewindBody: curl_seek_callback = { context, offset, origin in
  guard let transfer = unsafe EasyHandle.at(context).transfer, offset == 0, origin == 0 else {
    return CURL_SEEKFUNC_CANTSEEK
  }
  return transfer.rewindBody() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_CANTSEEK
}

let willSend: curl_prereq_callback = { context, _, _, _, _ in
  guard let transfer = unsafe EasyHandle.at(context).transfer, transfer.willSend() else {
    return CURL_PREREQFUNC_ABORT
  }
  return CURL_PREREQFUNC_OK
}

let openSocket: curl_opensocket_callback = { context, _, address in
  guard let context = unsafe context, let address = unsafe address else { return CURL_SOCKET_BAD }
  let sockets = unsafe Unmanaged<ConnectionSockets>.fromOpaque(context).takeUnretainedValue()
  return unsafe sockets.open(
    family: address.pointee.family, kind: address.pointee.socktype,
    protocol: address.pointee.protocol)
}

let closeSocket: curl_closesocket_callback = { context, descriptor in
  guard let context = unsafe context else { return -1 }
  let sockets = unsafe Unmanaged<ConnectionSockets>.fromOpaque(context).takeUnretainedValue()
  return sockets.close(descriptor)
}

let interestChanged: curl_socket_callback = { easy, descriptor, interest, context, _ in
  guard let context = unsafe context else { return -1 }
  let sockets = unsafe Unmanaged<ConnectionSockets>.fromOpaque(context).takeUnretainedValue()
  switch interest {
  case CURL_POLL_IN: sockets.want(.readable, of: descriptor)
  case CURL_POLL_OUT: sockets.want(.writable, of: descriptor)
  case CURL_POLL_INOUT: sockets.want([.readable, .writable], of: descriptor)
  default:
    sockets.forget(descriptor)
    // libcurl's own handles, which close connections, don't have Catraca's pointer.
    if let easy = unsafe easy, let own = unsafe catraca_curl_get_private(easy) {
      unsafe EasyHandle.at(own).transfer?.lostInterest()
    }
  }
  return 0
}

let deadlineChanged: curl_multi_timer_callback = { _, milliseconds, context in
  guard let context = unsafe context else { return -1 }
  let client = unsafe Unmanaged<UpstreamClient>.fromOpaque(context).takeUnretainedValue()
  client.schedule(milliseconds: milliseconds)
  return 0
}
