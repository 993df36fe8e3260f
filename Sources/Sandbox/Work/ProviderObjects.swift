/// The objects that the sandbox keeps between calls.
struct ProviderObjects {
  let responses = BackgroundResponses()
  let files: Files
  let batches: Batches

  init() {
    files = Files()
    batches = Batches(files: files)
  }
}
