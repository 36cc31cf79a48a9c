//! A list of messages as the C files of this folder declare it.

/// A message as C sees it.
#[repr(C)]
pub struct Message {
    bytes: *const u8,
    length: usize,
}

/// Puts `messages` in the place of what `list` holds, whose memory is kept from call to call.
pub fn write(list: &mut Vec<Message>, messages: &[&[u8]]) {
    list.clear();
    list.extend(messages.iter().map(|message| Message { bytes: message.as_ptr(), length: message.len() }));
}
