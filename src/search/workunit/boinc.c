/* What the program asks of BOINC's library. Flags are plain numbers here, so that Rust need not
 * know the library's structs. */

#include <boinc/boinc_api.h>
#include <stdlib.h>
#include <string.h>

/* Makes the process an application of the client. 0 if it went well. */
int camicia_boinc_begin(void) {
  BOINC_OPTIONS options;
  memset(&options, 0, sizeof options);
  options.main_program = 1;
  options.check_heartbeat = 1;
  options.handle_process_control = 1;
  options.send_status_msgs = 1;
  /* The client's wishes are only noted; the program acts on them between two blocks. */
  options.direct_process_action = 0;
  /* No thread is to be stopped by a signal of the library. */
  options.multi_thread = 1;
  return boinc_init_options(&options);
}

/* 0 play, 1 pause, 2 quit, 3 abort. */
int camicia_boinc_wish(void) {
  BOINC_STATUS status;
  boinc_get_status(&status);
  if (status.abort_request) return 3;
  if (status.quit_request || status.no_heartbeat) return 2;
  return status.suspended ? 1 : 0;
}

void camicia_boinc_tell(double fraction) { boinc_fraction_done(fraction); }

/* Not 0: the program saves now, and says so with camicia_boinc_saved. */
int camicia_boinc_save_now(void) { return boinc_time_to_checkpoint(); }

void camicia_boinc_saved(void) { boinc_checkpoint_completed(); }

/* Saving failed: the time for it ends here, and comes again. */
void camicia_boinc_not_saved(void) { boinc_end_critical_section(); }

/* Leaves the last word for the client, and does not return. */
void camicia_boinc_finish(int code) {
  boinc_finish(code);
  exit(code);
}
